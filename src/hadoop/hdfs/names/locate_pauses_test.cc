#include "hadoop/hdfs/names/locate_pauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace muster::hadoop::hdfs {
namespace {

using namespace std::chrono_literals;

std::vector<Duration> all(LocatePauses pauses) {
  std::vector<Duration> found;
  while (const auto pause = pauses.next()) {
    found.push_back(*pause);
  }
  return found;
}

TEST(LocatePauses, LooksAtOnceAndThenAsConfigured) {
  EXPECT_THAT(all({5, 400ms, 60s}),
              ::testing::ElementsAre(5ms, 10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 400ms, 800ms,
                                     1600ms, 3200ms, 6400ms));
}

TEST(LocatePauses, StayBelowTheLargestDelay) {
  EXPECT_THAT(all({4, 5ms, 12ms}), ::testing::ElementsAre(5ms, 10ms, 12ms, 12ms));
}

TEST(LocatePauses, DoNotLookWhereRetriesAreForbidden) { EXPECT_TRUE(all({0, 400ms, 60s}).empty()); }

}  // namespace
}  // namespace muster::hadoop::hdfs
