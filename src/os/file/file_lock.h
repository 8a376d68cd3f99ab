#pragma once

#include "base/result.h"
#include "os/file/files.h"
#include "rt/loop.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace muster::os {

/// Files::try_lock on this host.
[[nodiscard]] Result<std::unique_ptr<FileLock>> try_file_lock(const Path& path, uint32_t mode);

/// Files::wait_lock on this host; `loop` must outlive the wait.
[[nodiscard]] std::unique_ptr<LockWait> wait_file_lock(
    rt::Loop& loop, const Path& path, uint32_t mode,
    std::function<void(Result<std::unique_ptr<FileLock>>)> done);

}  // namespace muster::os
