#include "agent/attempt/pause_clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::agent {
namespace {

using std::chrono::seconds;

TEST(PauseClock, MeasuresThePauseAndRemembersTheLongest) {
  PauseClock clock;
  EXPECT_FALSE(clock.running());
  const HostTime start{};
  clock.happened(start);
  EXPECT_EQ(clock.pause(start + seconds(5)), (wire::Pause{.now = seconds(5)}));
  clock.happened(start + seconds(8));
  EXPECT_EQ(clock.pause(start + seconds(9)),
            (wire::Pause{.now = seconds(1), .longest = seconds(8)}));
  clock.happened(start + seconds(10));
  EXPECT_EQ(clock.pause(start + seconds(10)), (wire::Pause{.longest = seconds(8)}));
}

TEST(PauseClock, APauseThatTellsNothingIsForgotten) {
  PauseClock clock;
  const HostTime start{};
  clock.happened(start);
  clock.begin(start + seconds(30));
  EXPECT_EQ(clock.pause(start + seconds(31)), (wire::Pause{.now = seconds(1)}));
}

}  // namespace
}  // namespace muster::agent
