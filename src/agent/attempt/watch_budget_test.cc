#include "agent/attempt/watch_budget.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

HostTime at(Duration since) { return HostTime(std::chrono::hours(1)) + since; }

TEST(WatchBudget, LetsThroughWhatWasSavedAndThenWaits) {
  WatchBudget budget({.share_per_mille = 2, .saved_max = 20ms}, at(0s));
  EXPECT_TRUE(budget.affords(at(0s)));
  budget.pay(at(0s), 28ms);  // 8 ms more than was saved, which take four seconds to earn.
  EXPECT_FALSE(budget.affords(at(3999ms)));
  EXPECT_TRUE(budget.affords(at(4s)));
  EXPECT_EQ(budget.free_at(), at(4s));
}

TEST(WatchBudget, SavesNoMoreThanItMay) {
  WatchBudget budget({.share_per_mille = 1, .saved_max = 1ms}, at(0s));
  budget.pay(at(1h), 2ms);
  EXPECT_EQ(budget.free_at(), at(1h) + 1s);
}

// Whatever one look costs, the sum stays below the share.
TEST(WatchBudget, NeverSpendsMoreThanItsShare) {
  for (const Duration each : {Duration(10us), Duration(1ms), Duration(350ms)}) {
    WatchBudget budget({.share_per_mille = 2, .saved_max = 20ms}, at(0s));
    for (Duration now = 0s; now < 1h; now += 100ms) {
      if (budget.affords(at(now))) {
        budget.pay(at(now), each);
      }
    }
    EXPECT_LE(budget.paid(), Duration(1h) * 2 / 1000 + 20ms + each);
    EXPECT_GE(budget.paid(), std::min(each * 36'000, Duration(1h) * 2 / 1000) - each);
  }
}

}  // namespace
}  // namespace muster::agent
