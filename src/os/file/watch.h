#pragma once

#include "base/result.h"
#include "os/file/files.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>

namespace muster::os {

/// A watch of one file or folder; destroying it ends it.
class FileWatch {
 public:
  virtual ~FileWatch() = default;
};

/// Calls `changed` on the loop after something was written to, made in, moved into or removed from
/// `path`, which must exist. Many changes may arrive as one call. If the kernel has no inotify
/// watches left, `path` is checked every 100 ms.
[[nodiscard]] Result<std::unique_ptr<FileWatch>> watch_file(rt::IoLoop& loop, const Path& path,
                                                            std::function<void()> changed);

}  // namespace muster::os
