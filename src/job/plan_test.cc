#include "job/plan.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace muster::job {
namespace {

Plan plan_of_two() {
  Plan plan;
  plan.roles.push_back({.name = "ps", .tasks = 2, .tasks_min = 2});
  plan.roles.push_back({.name = "worker", .tasks = 4, .tasks_min = 4});
  return plan;
}

TEST(Plan, FindsRolesByTheirNames) {
  const Plan plan = plan_of_two();
  EXPECT_EQ(plan.find_role("ps"), RoleIndex{0});
  EXPECT_EQ(plan.find_role("worker"), RoleIndex{1});
  EXPECT_EQ(plan.find_role("work"), std::nullopt);
  EXPECT_EQ(plan.task_count(), 6U);
}

TEST(Plan, NamesTasksAndAttempts) {
  const Plan plan = plan_of_two();
  EXPECT_EQ(to_string(plan, TaskId{RoleIndex{1}, 3}), "worker:3");
  EXPECT_EQ(to_string(plan, AttemptId{{RoleIndex{0}, 1}, 2}), "ps:1#2");
  EXPECT_EQ(to_string(plan, TaskId{RoleIndex{2}, 7}), "?2:7") << "of a log of another plan";
}

TEST(Plan, ParsesOnlyTasksThatItHas) {
  const Plan plan = plan_of_two();
  EXPECT_EQ(parse_task(plan, "worker:3"), (TaskId{RoleIndex{1}, 3}));
  EXPECT_EQ(parse_task(plan, "ps:0"), (TaskId{RoleIndex{0}, 0}));
  for (const char* const text : {"worker:4", "worker:", "worker", "worker:1x", "worker:-1",
                                 "chief:0", ":0", "", "worker:99999999999"}) {
    EXPECT_EQ(parse_task(plan, text), std::nullopt) << text;
  }
}

TEST(Plan, SharesCoresAmongTheTasksThatRunTogether) {
  Plan plan = plan_of_two();
  EXPECT_EQ(cores_per_task(plan, plan.roles[1], 12), 2U);
  EXPECT_EQ(cores_per_task(plan, plan.roles[1], 5), 1U) << "never none";
  plan.roles.push_back({.name = "eval", .tasks = 3, .tasks_min = 3});
  plan.roles[2].after = {{RoleIndex{1}, spec::Condition::Ended}};
  EXPECT_EQ(cores_per_task(plan, plan.roles[1], 12), 2U) << "what comes later takes none";
  EXPECT_EQ(cores_per_task(plan, plan.roles[2], 12), 4U) << "and has them all";
  plan.roles[2].after = {{RoleIndex{1}, spec::Condition::Running}};
  EXPECT_EQ(cores_per_task(plan, plan.roles[1], 18), 2U) << "what runs beside it takes its share";
  plan.roles[2].tasks = 0;
  plan.roles[2].after = {{RoleIndex{1}, spec::Condition::Ended}};
  EXPECT_EQ(cores_per_task(plan, plan.roles[2], 12), 12U);
}

}  // namespace
}  // namespace muster::job
