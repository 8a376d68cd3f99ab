#include "job/describe.h"

#include "job/fact.h"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

TEST(Describe, CountsWithTheRightForm) {
  EXPECT_EQ(count_of(0, "task"), "0 tasks");
  EXPECT_EQ(count_of(1, "task"), "1 task");
  EXPECT_EQ(count_of(12, "task"), "12 tasks");
}

TEST(Describe, SaysHowOftenANoticeWasTried) {
  const NoticeTold told{.notice = "end",
                        .way = NoticeWay::Hook,
                        .fate = NoticeFate::GivenUp,
                        .tries = 5,
                        .trouble = "HTTP status 500"};
  EXPECT_EQ(
      sentence(told),
      "the notice `end` was not delivered by hook, given up after 5 attempts: HTTP status 500");
}

}  // namespace
}  // namespace muster::job
