#include "base/time.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(Time, DurationsAreShortForPeople) {
  EXPECT_EQ(format_duration(250ms), "250 ms");
  EXPECT_EQ(format_duration(1400ms), "1.4 s");
  EXPECT_EQ(format_duration(200s), "3 min 20 s");
  EXPECT_EQ(format_duration(3min), "3 min");
  EXPECT_EQ(format_duration(125min), "2 h 5 min");
  EXPECT_EQ(format_duration(47h + 59min), "47 h 59 min");
  EXPECT_EQ(format_duration(48h + 5min), "2 d");
  EXPECT_EQ(format_duration(-771h), "-32 d 3 h");
}

}  // namespace
}  // namespace muster
