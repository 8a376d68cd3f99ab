#pragma once

#include "base/time.h"
#include "rt/loop.h"

namespace muster::master {

/// Job time on this master: taken from the loop's monotonic clock, so that neither a jump of the
/// wall clock nor a skewed host fires a deadline. Never decreases.
class JobClock {
 public:
  /// A new job: 0 is now.
  explicit JobClock(const rt::Loop& loop) : JobClock(loop, Time{}) {}
  /// After a takeover: continues at the last logged time plus the wall-clock gap, clamped to 0..15
  /// min.
  static JobClock after(const rt::Loop& loop, Time last_at, WallTime last_wall);

  [[nodiscard]] Time now() const { return base_ + (loop_->now() - origin_); }
  /// Returns when job time will be `at`, on the loop's clock.
  [[nodiscard]] HostTime host_time(Time at) const { return origin_ + (at - base_); }

 private:
  JobClock(const rt::Loop& loop, Time base) : loop_(&loop), base_(base), origin_(loop.now()) {}

  const rt::Loop* loop_;
  Time base_;
  HostTime origin_;
};

}  // namespace muster::master
