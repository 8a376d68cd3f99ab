#pragma once

#include "base/result.h"
#include "os/process/pid.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>

namespace muster::os {

/// Waits for the end of one child without reaping it. Destroying it cancels the wait.
class ExitWatch {
 public:
  virtual ~ExitWatch() = default;
};

/// Calls `ended` on the loop, once, when `child` can be reaped. Uses a pidfd; before Linux 5.3, a
/// thread that waits.
[[nodiscard]] Result<std::unique_ptr<ExitWatch>> watch_exit(rt::IoLoop& loop, Pid child,
                                                            std::function<void()> ended);

}  // namespace muster::os
