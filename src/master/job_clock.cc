#include "master/job_clock.h"

#include <algorithm>

namespace muster::master {
namespace {

constexpr Duration kGapMax = std::chrono::minutes(15);

}  // namespace

JobClock JobClock::after(const rt::Loop& loop, Time last_at, WallTime last_wall) {
  const Duration gap = std::clamp(loop.wall_now() - last_wall, Duration::zero(), kGapMax);
  return JobClock(loop, last_at + gap);
}

}  // namespace muster::master
