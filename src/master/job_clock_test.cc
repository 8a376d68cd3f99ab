#include "master/job_clock.h"

#include "testing/fake_loop.h"

#include <gtest/gtest.h>

namespace muster::master {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(JobClock, CountsFromTheStartWhateverTheWallClockDoes) {
  testing::FakeLoop loop;
  loop.advance(minutes(3));
  const JobClock clock(loop);
  EXPECT_EQ(clock.now(), Time{});
  loop.shift_wall(std::chrono::hours(-5));
  loop.advance(seconds(7));
  EXPECT_EQ(clock.now(), Time(seconds(7)));
  EXPECT_EQ(clock.host_time(Time(seconds(9))), HostTime(minutes(3) + seconds(9)));
}

TEST(JobClock, GoesOnAfterATakeoverWithTheGap) {
  testing::FakeLoop loop;
  const WallTime last = loop.wall_now() - seconds(20);
  EXPECT_EQ(JobClock::after(loop, Time(minutes(1)), last).now(), Time(minutes(1) + seconds(20)));
}

TEST(JobClock, BoundsTheGapOfASkewedHost) {
  testing::FakeLoop loop;
  const Time at(minutes(1));
  EXPECT_EQ(JobClock::after(loop, at, loop.wall_now() + minutes(30)).now(), at);
  EXPECT_EQ(JobClock::after(loop, at, loop.wall_now() - minutes(90)).now(), at + minutes(15));
}

}  // namespace
}  // namespace muster::master
