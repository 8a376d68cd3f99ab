#pragma once

#include "base/result.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>
#include <span>

namespace muster::os {

/// Signals to this process as callbacks on the loop. Destroying it restores what was before.
class Signals {
 public:
  virtual ~Signals() = default;
};

/// Takes over `signals` (SIGTERM, SIGINT, SIGHUP, SIGCHLD, ...); call it on the main thread before
/// other threads start. `received` gets the signal's number; several of one kind may come as one.
[[nodiscard]] Result<std::unique_ptr<Signals>> take_signals(
    rt::IoLoop& loop, std::span<const int> signals, std::function<void(int signal)> received);

/// Makes writes to closed pipes and sockets return EPIPE instead of ending this process. Children
/// get the default back.
void ignore_broken_pipes();

}  // namespace muster::os
