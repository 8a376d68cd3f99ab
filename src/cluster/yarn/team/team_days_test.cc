#include "cluster/yarn/team/team_days.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DayNames, AreDatesAndTheNewest) {
  EXPECT_THAT(day_names({"2024", "2026", "9999", "1999", "2025", "20x6", "jobs"}, 4, 10),
              ElementsAre("2026", "2025", "2024"));
  EXPECT_THAT(day_names({"01", "31", "32", "7", "99", "12"}, 2, 2), ElementsAre("31", "12"));
  EXPECT_THAT(day_names({"01"}, 2, 0), IsEmpty());
}

}  // namespace
}  // namespace muster::cluster::yarn
