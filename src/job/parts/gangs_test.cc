#include "job/parts/gangs.h"

#include "job/parts/parts_test.h"
#include "job/parts/views.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

struct GangWorld : Ground {
  explicit GangWorld(Plan the_plan) : Ground(std::move(the_plan)) {}

  void join(uint32_t index) {
    const TaskId id = first_role_task(index);
    place(id, "c" + std::to_string(index));
    gangs.granted(id);
    lives.join(id, {});
    gangs.joined(id);
  }
  [[nodiscard]] Gangs::Barrier barrier(uint32_t cohort) const {
    return gangs.look_at(cohort, [](TaskId) { return false; });
  }
  uint32_t gang_of(uint32_t tasks) {
    const uint32_t gang = gangs.create(true);
    for (uint32_t index = 0; index < tasks; ++index) {
      gangs.enter(gang, first_role_task(index));
    }
    return gang;
  }

  Views views{deps, state.view};
  Gangs gangs{deps, views};
};

TEST(Gangs, OpenWhenAllHaveJoined) {
  GangWorld world(plan_of(2));
  const uint32_t gang = world.gang_of(2);
  world.join(0);
  EXPECT_EQ(world.barrier(gang), Gangs::Barrier::Shut);
  EXPECT_EQ(world.gangs.lack(), "containers for 1 of 2 worker tasks");
  world.join(1);
  ASSERT_EQ(world.barrier(gang), Gangs::Barrier::Complete);
  world.turn.actions.clear();
  world.gangs.open(gang);
  EXPECT_EQ(world.take<StartAttempt>().size(), 2U);
  EXPECT_EQ(world.state.view.members.size(), 2U);
  EXPECT_EQ(world.gangs.lack(), "");
  EXPECT_TRUE(world.gangs.tallies_hold());
}

TEST(Gangs, LetTheLateOnesOfAnElasticRoleFollow) {
  Plan plan = plan_of(2, spec::Membership::Elastic);
  plan.roles.front().tasks_min = 1;
  GangWorld world(plan);
  const uint32_t gang = world.gang_of(2);
  world.join(1);
  ASSERT_EQ(world.barrier(gang), Gangs::Barrier::Complete);
  world.gangs.open(gang);
  const Cohort* growth = world.gangs.cohort_of(first_role_task(0));
  ASSERT_NE(growth, nullptr);
  EXPECT_TRUE(growth->grows);
  EXPECT_EQ(world.gangs.of(first_role_task(1)).cohort, 0U);
}

TEST(Gangs, WatchTheirContainersByADeadline) {
  Plan plan = plan_of(1);
  plan.deadlines.gather = 10s;
  GangWorld world(plan);
  const uint32_t gang = world.gang_of(1);
  world.gangs.asked(first_role_task(0));
  EXPECT_EQ(world.take<SetDeadline>().size(), 1U);
  EXPECT_EQ(world.gangs.gather_passed(gang), "0 of 1 worker tasks have a container");
  world.gangs.leave(first_role_task(0));
  EXPECT_EQ(world.gangs.find(gang), nullptr);
  EXPECT_EQ(world.gangs.gather_passed(gang), "");
}

TEST(Gangs, GiveBackWhatTheyHoldAndAskAgainWithRoom) {
  Plan plan = plan_of(2);
  plan.gang.hold = 30s;
  GangWorld world(plan);
  const uint32_t gang = world.gang_of(2);
  world.join(0);
  EXPECT_EQ(world.gangs.hold_passed(gang).size(), 2U);
  world.gangs.wait_to_regather(gang);
  EXPECT_TRUE(world.gangs.find(gang)->regather.is_set());
  world.state.headroom = HeadroomReported{};
  EXPECT_TRUE(world.gangs.regather_passed(gang).empty());
  world.state.headroom = HeadroomReported{.memory_bytes = 1ULL << 40, .vcores = 99, .gpus = 9};
  EXPECT_EQ(world.gangs.regather_passed(gang).size(), 2U);
}

TEST(Gangs, GatherEverybodyWhoIsOnTheWayAlone) {
  GangWorld world(plan_of(2, spec::Membership::Rejoin));
  world.gangs.enter_alone(first_role_task(0));
  const uint32_t gang = world.gangs.gather_again();
  EXPECT_EQ(world.gangs.of(first_role_task(0)).cohort, gang);
  EXPECT_TRUE(world.gangs.gang_waits());
  EXPECT_EQ(world.gangs.gather_again(), gang);
  EXPECT_TRUE(world.gangs.tallies_hold());
}

TEST(Views, ListWhoStartsAndDropWhoLeft) {
  GangWorld world(plan_of(9));
  const uint32_t gang = world.gang_of(9);
  for (uint32_t index = 0; index < 9; ++index) {
    world.join(index);
  }
  world.gangs.open(gang);
  world.lives.end(first_role_task(4), std::nullopt, TaskState::Waiting);
  world.views.left(first_role_task(4));
  world.views.saw(Generation(6));
  world.views.start({});
  EXPECT_EQ(world.state.view.members.size(), 8U);
  EXPECT_EQ(world.state.view.generation, Generation(7));
}

}  // namespace
}  // namespace muster::job
