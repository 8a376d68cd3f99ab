#include "job/parts/roles.h"

#include "job/parts/parts_test.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

struct RoleWorld : Ground {
  explicit RoleWorld(Plan the_plan) : Ground(std::move(the_plan)) {}

  void end(uint32_t index, TaskState to) {
    place(first_role_task(index), "c" + std::to_string(index));
    if (to == TaskState::Succeeded) {
      lives.end(first_role_task(index), Exit{.exit_code = 0}, to);
      return;
    }
    const Cause cause = fail(first_role_task(index), FailureKind::Program);
    lives.move(first_role_task(index), to);
    roles.failed_for_good(kFirstRole, cause);
  }

  Roles roles{deps};
};

TEST(Roles, EndTheJobWhenAllThatItWaitsForHaveSucceeded) {
  RoleWorld world(plan_of(2));
  world.end(0, TaskState::Succeeded);
  EXPECT_FALSE(world.roles.review_completion().over);
  world.end(1, TaskState::Succeeded);
  EXPECT_TRUE(world.roles.review_completion().over);
  EXPECT_EQ(world.roles.decided()->result, JobResult::Succeeded);
}

TEST(Roles, TellWhatWasTolerated) {
  RoleWorld world(plan_of(2));
  world.end(0, TaskState::Succeeded);
  world.end(1, TaskState::Failed);
  EXPECT_TRUE(world.roles.review_completion().over);
  EXPECT_EQ(world.roles.take_decision()->message, "1 of 2 tasks failed and were tolerated");
  EXPECT_FALSE(world.roles.decided());
}

TEST(Roles, FailTheJobByTheFirstCauseWhenNoneSucceeded) {
  RoleWorld world(plan_of(2));
  world.end(0, TaskState::Failed);
  world.end(1, TaskState::Failed);
  const Roles::Completion completion = world.roles.review_completion();
  EXPECT_TRUE(completion.over);
  ASSERT_TRUE(completion.failed_by);
  EXPECT_EQ(completion.failed_by->task(), first_role_task(0));
}

TEST(Roles, AskForAReviewWhenAllHaveStarted) {
  RoleWorld world(plan_of(2));
  world.roles.note_started(first_role_task(0));
  world.roles.note_started(first_role_task(0));
  EXPECT_FALSE(world.roles.take_review());
  world.roles.note_started(first_role_task(1));
  EXPECT_TRUE(world.roles.take_review());
  EXPECT_FALSE(world.roles.take_review());
  EXPECT_TRUE(world.roles.tallies_hold());
}

TEST(Roles, AreMetByWhatTheyWaitFor) {
  RoleWorld world(plan_of(1));
  const After succeeded{kFirstRole, spec::Condition::Succeeded};
  EXPECT_FALSE(world.roles.met(succeeded));
  EXPECT_FALSE(world.roles.never_met(succeeded));
  world.end(0, TaskState::Failed);
  EXPECT_TRUE(world.roles.never_met(succeeded));
  EXPECT_TRUE(world.roles.met({kFirstRole, spec::Condition::Ended}));
}

TEST(Roles, DecideByADeadlineOnlyWhatIsOpen) {
  RoleWorld world(plan_of(1));
  world.roles.fail_by_deadline("deadline.run", 2s, "the job did not end");
  EXPECT_EQ(world.roles.decided()->message, "the job did not end within 2.0 s");
  world.roles.fail_by_deadline("deadline.queue", 1s, "no container was granted");
  EXPECT_EQ(world.roles.decided()->class_name, "deadline.run");
}

TEST(Roles, IgnoreALateRoleAfterItsGroupDeadline) {
  Plan plan = plan_of(1);
  plan.roles.push_back({.name = "evaluator", .tasks = 1, .tasks_min = 1});
  plan.roles.back().deadline_after =
      GroupDeadline{.roles = {kFirstRole}, .in = 10s, .then = spec::DeadlineAction::Ignore};
  RoleWorld world(plan);
  world.end(0, TaskState::Succeeded);
  world.roles.review_group_deadlines();
  EXPECT_EQ(world.take<SetDeadline>().size(), 1U);
  EXPECT_FALSE(world.roles.review_completion().over);
  world.roles.group_passed(RoleIndex(1));
  EXPECT_TRUE(world.roles.review_completion().over);
}

TEST(Roles, FailTheJobByALateRoleUnlessItsFailuresAreIgnored) {
  const auto afterwards = [](spec::Failure before) {
    Plan plan = plan_of(1);
    plan.roles.push_back({.name = "evaluator", .tasks = 1, .tasks_min = 1, .failure = before});
    plan.roles.back().deadline_after =
        GroupDeadline{.roles = {kFirstRole}, .in = 10s, .then = spec::DeadlineAction::Ignore};
    RoleWorld world(plan);
    world.roles.group_passed(RoleIndex(1));
    return world.roles.failure_policy(RoleIndex(1));
  };
  EXPECT_EQ(afterwards(spec::Failure::FailsJob), spec::Failure::FailsJob);
  EXPECT_EQ(afterwards(spec::Failure::Tolerated), spec::Failure::FailsJob);
  EXPECT_EQ(afterwards(spec::Failure::Ignored), spec::Failure::Ignored);
}

}  // namespace
}  // namespace muster::job
