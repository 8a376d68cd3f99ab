#include "job/chronicle.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::job {
namespace {

RestartNote restart_by(const std::string& class_name) {
  RestartNote note;
  note.cause.failure.class_name = class_name;
  return note;
}

TEST(Chronicle, KeepsTheFirstTimeOfEachStep) {
  Chronicle chronicle;
  EXPECT_FALSE(chronicle.reached("running"));
  chronicle.reach("running", Time(Duration(3)));
  chronicle.reach("running", Time(Duration(9)));
  ASSERT_EQ(chronicle.steps().size(), 1U);
  EXPECT_EQ(chronicle.steps().front().at, Time(Duration(3)));
  EXPECT_TRUE(chronicle.reached("running"));
}

TEST(Chronicle, TellsOfARestartOnlyWithTheFactThatLedToIt) {
  Chronicle chronicle;
  chronicle.restarting(restart_by("user.traceback"));
  chronicle.give_up_confirming({AttemptId{}});
  EXPECT_TRUE(chronicle.restart());
  EXPECT_EQ(chronicle.unconfirmed().size(), 1U);
  chronicle.begin_fact();
  EXPECT_FALSE(chronicle.restart());
  EXPECT_TRUE(chronicle.unconfirmed().empty());
}

TEST(Chronicle, TheFirstCauseIsThatOfTheFirstRestart) {
  Chronicle chronicle;
  chronicle.end_fact(std::nullopt);
  EXPECT_FALSE(chronicle.first_cause());
  chronicle.restarting(restart_by("user.traceback"));
  chronicle.end_fact(std::nullopt);
  chronicle.begin_fact();
  chronicle.restarting(restart_by("user.killed"));
  chronicle.end_fact(std::nullopt);
  ASSERT_TRUE(chronicle.first_cause());
  EXPECT_EQ(chronicle.first_cause()->failure.class_name, "user.traceback");
}

TEST(Chronicle, AJobThatWasNeverRestartedHasTheCauseOfItsOutcome) {
  Chronicle chronicle;
  Outcome outcome;
  outcome.first_cause = restart_by("user.oom").cause;
  chronicle.end_fact(outcome);
  ASSERT_TRUE(chronicle.first_cause());
  EXPECT_EQ(chronicle.first_cause()->failure.class_name, "user.oom");
}

TEST(Chronicle, KeepsTheNewestWordOnEachNoticeAndNotEndlesslyMany) {
  Chronicle chronicle;
  for (size_t i = 0; i < Chronicle::kNoticesMax + 10; ++i) {
    NoticeTold told;
    told.notice = "end-" + std::to_string(i);
    chronicle.take(told);
  }
  EXPECT_EQ(chronicle.notices().size(), Chronicle::kNoticesMax);
  NoticeTold again;
  again.notice = "end-3";
  again.trouble = "the server answered 500";
  chronicle.take(again);
  EXPECT_EQ(chronicle.notices().size(), Chronicle::kNoticesMax);
  EXPECT_EQ(chronicle.notices()[3].trouble, "the server answered 500");
}

}  // namespace
}  // namespace muster::job
