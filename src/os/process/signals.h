#pragma once

#include "base/result.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <csignal>
#include <functional>
#include <memory>
#include <span>

namespace muster::os {

/// Delivers signals to this process as callbacks on the loop. Destroying it restores the previous
/// handling.
class Signals {
 public:
  virtual ~Signals() = default;
};

/// Takes over `signals` (SIGTERM, SIGINT, SIGHUP, SIGCHLD, ...); call it on the main thread before
/// other threads start. `received` gets the signal's number; several of one kind may arrive as one.
[[nodiscard]] Result<std::unique_ptr<Signals>> take_signals(
    rt::IoLoop& loop, std::span<const int> signals, std::function<void(int signal)> received);

/// Holds signals back while this object lives, for a step that must not be left half done. A signal
/// that arrived meanwhile goes to whoever has taken it over by then; otherwise it acts when the
/// object is destroyed. Programs started meanwhile do not inherit this.
class HeldSignals {
 public:
  explicit HeldSignals(std::span<const int> signals);
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// A descriptor that becomes readable when one of them is pending; it must not be read. -1 if
  /// that cannot be known.
  [[nodiscard]] int fd() const { return pending_.get(); }

 private:
  sigset_t before_;
  rt::Fd pending_;
};

/// Returns whether the process was started with a signal ignored, as nohup does. A signal that has
/// been taken over arrives all the same.
[[nodiscard]] bool is_ignored(int signal);

/// Makes writes to closed pipes and sockets return EPIPE instead of ending this process. Children
/// get the default back.
void ignore_broken_pipes();

}  // namespace muster::os
