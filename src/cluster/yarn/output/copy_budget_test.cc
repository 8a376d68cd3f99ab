#include "cluster/yarn/output/copy_budget.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::cluster::yarn {
namespace {

using std::chrono::seconds;

Errc code_of(const Status& status) { return status ? Errc::Other : status.error().code; }

TEST(CopyBudget, HasNoEndWithoutLimits) {
  CopyBudget budget;
  EXPECT_TRUE(budget.spend(uint64_t{1} << 60, HostTime(seconds(1'000'000))).has_value());
  budget.give_back(uint64_t{1} << 62);
  EXPECT_TRUE(budget.spend(uint64_t{1} << 63, HostTime()).has_value());
}

TEST(CopyBudget, RefusesWhatIsMore) {
  CopyBudget budget(100, 30, std::nullopt);
  EXPECT_TRUE(budget.spend(70, HostTime()).has_value());
  EXPECT_EQ(code_of(budget.spend(1, HostTime())), Errc::NeverFits);
  budget.give_back(20);
  EXPECT_EQ(code_of(budget.spend(21, HostTime())), Errc::NeverFits);
  EXPECT_TRUE(budget.spend(20, HostTime()).has_value());
  budget.give_back(1000);
  EXPECT_EQ(code_of(budget.spend(101, HostTime())), Errc::NeverFits);
  EXPECT_EQ(code_of(CopyBudget(100, 200, std::nullopt).spend(1, HostTime())), Errc::NeverFits);
}

TEST(CopyBudget, RefusesWhatTakesTooLong) {
  CopyBudget budget(100, 0, HostTime(seconds(60)));
  EXPECT_TRUE(budget.spend(1, HostTime(seconds(60))).has_value());
  EXPECT_EQ(code_of(budget.spend(1, HostTime(seconds(61)))), Errc::DeadlineExceeded);
}

}  // namespace
}  // namespace muster::cluster::yarn
