#include "fs/unfinished.h"

#include "rt/wait.h"

namespace muster::fs {

rt::Async<Status> remove_unfinished(rt::Loop* loop, os::Files* local, Unfinished::Files files) {
  for (const auto& [number, file] : files) {
    if (file.fs != nullptr) {
      static_cast<void>(co_await file.fs->remove(file.path, false));
      continue;
    }
    auto work = [local, path = os::Path(file.path)] { return local->remove(path); };
    static_cast<void>(co_await rt::run_blocking(*loop, std::move(work)));
  }
  co_return Status();
}

}  // namespace muster::fs
