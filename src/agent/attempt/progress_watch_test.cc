#include "agent/attempt/progress_watch.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::agent {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// An attempt and the watch that observes it.
class ProgressWatchOf : public ::testing::Test {
 protected:
  wire::Fruitless look_at(Duration later) { return watch_.look(now_ += later, signs_); }
  Duration look(Duration later) { return look_at(later).pause.now; }
  /// Takes steps of one second each.
  void train(int steps) {
    for (int step = 0; step < steps; ++step) {
      ++signs_.told;
      EXPECT_EQ(look(seconds(1)), Duration::zero());
    }
  }

  ProgressWatch watch_;
  HostTime now_{};
  LifeSigns signs_{.moved_bytes = 1 << 20};
};

TEST_F(ProgressWatchOf, TakesValuesForProgressAndOutputNoMoreThen) {
  EXPECT_EQ(look({}), Duration::zero());
  train(10);
  for (int second = 1; second < 100; ++second) {
    signs_.output_bytes += 60;
    signs_.moved_bytes += 60;
    EXPECT_EQ(look(seconds(1)), seconds(second));
  }
  EXPECT_TRUE(look_at({}).reports);
}

TEST_F(ProgressWatchOf, TakesNewOutputForProgressOfOneThatReportsNothing) {
  EXPECT_EQ(look({}), Duration::zero());
  for (int line = 0; line < 10; ++line) {
    ++signs_.news;
    signs_.output_bytes += 10;
    EXPECT_EQ(look(seconds(5)), Duration::zero());
  }
  for (int second = 1; second < 100; ++second) {
    signs_.output_bytes += 60;
    signs_.moved_bytes += 60;
    EXPECT_EQ(look(seconds(1)), seconds(second)) << "it says the same again";
  }
  ++signs_.news;
  EXPECT_EQ(look({}), Duration::zero());
  EXPECT_EQ(look(minutes(3)), minutes(3));
  EXPECT_FALSE(look_at({}).reports);
}

TEST_F(ProgressWatchOf, TakesFilesAndNewMemoryForProgress) {
  EXPECT_EQ(look({}), Duration::zero());
  train(10);
  EXPECT_EQ(look(minutes(1)), minutes(1));
  signs_.moved_bytes += 10 << 20;
  EXPECT_EQ(look(minutes(1)), Duration::zero());
  EXPECT_EQ(look(minutes(1)), minutes(1));
  signs_.faults += 100000;
  EXPECT_EQ(look(minutes(1)), Duration::zero());
}

TEST_F(ProgressWatchOf, TellsWhetherItHasGotOnHoweverQuickly) {
  signs_.news = 3;
  EXPECT_FALSE(look_at(seconds(1)).got_on) << "a greeting";
  signs_.news = 4;
  EXPECT_TRUE(look_at(seconds(1)).got_on);
  EXPECT_FALSE(look_at(seconds(1)).knows_past);
}

TEST_F(ProgressWatchOf, KnowsAPastOnlyOfOneThatHasGoneOn) {
  EXPECT_FALSE(look_at(minutes(1)).knows_past);
  ++signs_.told;
  EXPECT_FALSE(look_at(minutes(9)).knows_past);
  EXPECT_EQ(look_at({}).pause.longest, Duration::zero()) << "the start is no pause";
  train(3);
  EXPECT_TRUE(look_at({}).knows_past);
  EXPECT_EQ(look_at({}).pause.longest, seconds(1));
  ++signs_.told;
  EXPECT_EQ(look_at(minutes(2)).pause.longest, minutes(2));
}

}  // namespace
}  // namespace muster::agent
