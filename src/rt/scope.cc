#include "rt/scope.h"

namespace muster::rt {

void Scope::spawn(Async<> work) {
  const uint64_t id = ++last_;
  running_.emplace(id, start(*loop_, std::move(work), [this, id] {
                     running_.erase(id);
                     if (running_.empty()) {
                       empty_.pulse();
                     }
                   }));
}

void Scope::cancel() {
  const auto gone = std::exchange(running_, {});
  if (!gone.empty()) {
    empty_.pulse();
  }
}

Async<> Scope::drained() {
  while (!running_.empty()) {
    co_await empty_.wait();
  }
}

}  // namespace muster::rt
