#include "job/side_program.h"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

Plan plan_of(std::initializer_list<const char*> roles) {
  Plan plan;
  for (const char* name : roles) {
    plan.roles.push_back({.name = name, .tasks = 2});
  }
  plan.chief = TaskId{RoleIndex(0), 0};
  plan.spec.tensorboard = spec::Tensorboard{.logdir = "logs"};
  return plan;
}

TEST(SideProgram, RunsBesideTheChiefAlone) {
  const Plan plan = plan_of({"chief", "worker"});
  EXPECT_TRUE(has_side_program(plan, {RoleIndex(0), 0}));
  EXPECT_FALSE(has_side_program(plan, {RoleIndex(0), 1}));
  EXPECT_FALSE(has_side_program(plan, {RoleIndex(1), 0}));
  EXPECT_EQ(side_memory_bytes(plan, plan.roles[0]), kSideProgramMemoryBytes);
  EXPECT_EQ(side_memory_bytes(plan, plan.roles[1]), 0U);
}

TEST(SideProgram, IsNotThereWhereARoleServesOrNobodyAsked) {
  const Plan served = plan_of({"worker", "tensorboard"});
  EXPECT_FALSE(has_side_program(served, {RoleIndex(0), 0}));
  EXPECT_EQ(side_memory_bytes(served, served.roles[0]), 0U);
  Plan silent = plan_of({"worker"});
  silent.spec.tensorboard.reset();
  EXPECT_FALSE(has_side_program(silent, {RoleIndex(0), 0}));
}

}  // namespace
}  // namespace muster::job
