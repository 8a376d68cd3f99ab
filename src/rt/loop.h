#pragma once

#include "base/strong.h"
#include "base/time.h"

#include <cstdint>
#include <functional>
#include <span>

namespace muster::rt {

/// A callback that runs once or more on its loop's thread.
using Callback = std::move_only_function<void()>;

/// Names one pending timer of one loop; 0 names none.
using TimerId = Strong<struct TimerIdTag, uint64_t>;

/// The event loop of one process, as its shells see it: time, timers and "run this soon".
/// Everything a shell does happens in callbacks on one thread; none may block. Implemented by
/// IoLoop (Boost.Asio) and, in the simulator, by a world with virtual time.
class Loop {
 public:
  virtual ~Loop() = default;

  /// Monotonic time of this host. Does not count a suspend.
  [[nodiscard]] virtual HostTime now() const = 0;
  /// Wall-clock time; may jump.
  [[nodiscard]] virtual WallTime wall_now() const = 0;

  /// Runs `callback` soon, after the current one has returned. In order of posting.
  virtual void post(Callback callback) = 0;
  /// Runs `callback` at `when` or soon after; at once (but never inside this call) if that has
  /// passed.
  virtual TimerId call_at(HostTime when, Callback callback) = 0;
  /// Forgets a timer. Unknown, passed and zero ids are ignored.
  virtual void cancel(TimerId timer) = 0;

  /// Runs `work` on a thread of the blocking pool (files that may hang, slow system calls), then
  /// `done` on the loop. The simulator runs both on the loop.
  virtual void run_blocking(Callback work, Callback done) = 0;

  TimerId call_after(Duration delay, Callback callback) {
    return call_at(now() + delay, std::move(callback));
  }
};

/// Where unpredictable bytes come from (keys, ids). Never used for decisions.
class Random {
 public:
  virtual ~Random() = default;
  /// Fills `bytes` with cryptographically strong random bytes (the simulator: by seed).
  virtual void fill(std::span<uint8_t> bytes) = 0;
};

}  // namespace muster::rt
