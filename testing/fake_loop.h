#pragma once

#include "rt/loop.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace muster::testing {

/// A Loop with virtual time: nothing runs until a test says so. Callbacks run in order of (time,
/// order of asking); time stands still while they run. Work for the blocking pool also runs on the
/// loop, in turn.
class FakeLoop final : public rt::Loop {
 public:
  explicit FakeLoop(WallTime wall_start = WallTime(std::chrono::days(20'000)))
      : wall_offset_(wall_start.time_since_epoch()) {}

  [[nodiscard]] HostTime now() const override { return now_; }
  [[nodiscard]] WallTime wall_now() const override {
    return WallTime(wall_offset_ + now_.time_since_epoch());
  }
  void post(rt::Callback callback) override { call_at(now_, std::move(callback)); }
  rt::TimerId call_at(HostTime when, rt::Callback callback) override;
  void cancel(rt::TimerId timer) override;
  void run_blocking(rt::Callback work, rt::Callback done) override;

  /// Runs what is due now, and what that posts in turn.
  void run_ready();
  /// Runs everything that falls due within `duration`, then stays at its end.
  void advance(Duration duration);
  /// Keeps running until `done` returns true (checked after each callback) or `limit` has passed;
  /// returns `done()`.
  template <class Condition>
  bool run_until(Condition done, Duration limit = std::chrono::minutes(10)) {
    const HostTime end = now_ + limit;
    while (!done() && step(end)) {
    }
    return done();
  }

  /// Lets time pass without running anything, as for a process that was stopped.
  void stall(Duration duration) { now_ += duration; }
  /// Makes the wall clock jump.
  void shift_wall(Duration by) { wall_offset_ += by; }
  /// Returns when the next callback is due; nullopt if none is waiting.
  [[nodiscard]] std::optional<HostTime> next() const;
  /// Returns the number of callbacks that are waiting.
  [[nodiscard]] size_t pending() const { return queue_.size(); }

 private:
  using Key = std::pair<HostTime, uint64_t>;

  /// Runs the next callback if it is due by `end`, moving time there; otherwise moves time to `end`
  /// and returns false.
  bool step(HostTime end);

  HostTime now_{};
  Duration wall_offset_;
  uint64_t sequence_ = 0;
  std::map<Key, rt::Callback> queue_;
  std::map<uint64_t, HostTime> times_;  ///< By timer id, for cancel.
};

}  // namespace muster::testing
