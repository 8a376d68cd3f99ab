#include "agent/attempt/stall_watch.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(StallWatch, TellsOnceOfOneThatNeitherWritesNorComputes) {
  StallWatch watch;
  HostTime now{};
  for (; now < HostTime{} + minutes(10); now += seconds(1)) {
    EXPECT_FALSE(watch.look(now, seconds(5), 100).has_value());
  }
  EXPECT_EQ(watch.look(now, seconds(5), 100), Duration(minutes(10)));
  EXPECT_FALSE(watch.look(now + minutes(10), seconds(5), 100).has_value());
}

TEST(StallWatch, TakesOutputAndWorkAsLife) {
  StallWatch watch;
  HostTime now{};
  uint64_t written = 0;
  for (int i = 0; i < 100; ++i, now += minutes(9)) {
    EXPECT_FALSE(watch.look(now, seconds(1), ++written).has_value());
  }
  Duration worked = seconds(1);
  for (int i = 0; i < 100; ++i, now += minutes(9)) {
    EXPECT_FALSE(watch.look(now, worked += seconds(30), written).has_value());
  }
}

TEST(StallWatch, DoesNotTakeHeartbeatsForWork) {
  StallWatch watch;
  HostTime now{};
  Duration worked{};
  int told = 0;
  for (int i = 0; i < 30 * 60; ++i, now += seconds(1), worked += milliseconds(2)) {
    told += watch.look(now, worked, 0).has_value() ? 1 : 0;
  }
  EXPECT_EQ(told, 1);
}

TEST(StallWatch, TellsAgainAfterItMoved) {
  StallWatch watch;
  HostTime now{};
  EXPECT_FALSE(watch.look(now, seconds(1), 0).has_value());
  EXPECT_TRUE(watch.look(now += minutes(11), seconds(1), 0).has_value());
  EXPECT_FALSE(watch.look(now += minutes(1), seconds(1), 9).has_value());
  EXPECT_TRUE(watch.look(now += minutes(11), seconds(1), 9).has_value());
}

}  // namespace
}  // namespace muster::agent
