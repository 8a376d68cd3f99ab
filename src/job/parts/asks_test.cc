#include "job/parts/asks.h"

#include "job/parts/gangs.h"
#include "job/parts/parts_test.h"
#include "job/parts/places.h"
#include "job/parts/views.h"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

struct AskWorld : Ground {
  explicit AskWorld(Plan the_plan) : Ground(std::move(the_plan)) {}

  Views views{deps, state.view};
  Gangs gangs{deps, views};
  Places places{deps, gangs};
  Asks asks{deps, gangs, places, state.requests};
};

TEST(Asks, ShareAContainerAsFarAsTheRoleAllows) {
  Plan plan = plan_of(3);
  plan.roles.front().tasks_per_container = 2;
  AskWorld world(plan);
  world.asks.ask_for(
      {first_role_task(2), first_role_task(0), first_role_task(1), first_role_task(0)});
  const std::vector<RequestContainer> asked = world.take<RequestContainer>();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(world.state.requests.at(RequestId(1)).tasks.size(), 2U);
  EXPECT_EQ(world.asks.of(first_role_task(2)).request, RequestId(2));
}

TEST(Asks, ServeATaskOnlyWhenNothingStandsInItsWay) {
  AskWorld world(plan_of(1));
  const TaskId id = first_role_task(0);
  EXPECT_EQ(world.asks.next_step(id), Asks::Step::Nothing);
  world.asks.want(id, Placement::NewContainer);
  EXPECT_EQ(world.asks.next_step(id), Asks::Step::AskContainer);
  world.asks.wait_for(id, DeadlineId(5));
  EXPECT_EQ(world.asks.next_step(id), Asks::Step::Nothing);
  world.asks.waited(DeadlineId(4), std::vector{id});
  EXPECT_EQ(world.asks.next_step(id), Asks::Step::Nothing);
  world.asks.waited(DeadlineId(5), std::vector{id});
  EXPECT_EQ(world.asks.next_step(id), Asks::Step::AskContainer);
}

TEST(Asks, CancelWhatIsWithdrawn) {
  AskWorld world(plan_of(1));
  world.asks.want(first_role_task(0), Placement::NewContainer);
  world.asks.ask_for({first_role_task(0)});
  world.asks.withdraw(first_role_task(0));
  EXPECT_EQ(world.take<CancelRequest>().size(), 1U);
  EXPECT_FALSE(world.asks.of(first_role_task(0)).wanted);
  const std::optional<Request> request = world.asks.answered(RequestId(1));
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->cancelled);
  EXPECT_FALSE(world.asks.answered(RequestId(1)));
}

TEST(Asks, LeaveOutAHostThatDidHarmUntilItIsHealthyAgain) {
  AskWorld world(plan_of(1));
  world.asks.cluster_has(9);
  world.asks.report({HostName("bad"), HostHealth::Unhealthy});
  world.asks.want(first_role_task(0), Placement::NewContainer);
  world.asks.ask_for({first_role_task(0)});
  EXPECT_EQ(world.take<RequestContainer>().front().avoid, std::vector{HostName("bad")});
  world.asks.report({HostName("bad"), HostHealth::Healthy});
  EXPECT_EQ(world.take<CancelRequest>().size(), 1U);
  EXPECT_EQ(world.asks.next_step(first_role_task(0)), Asks::Step::AskContainer);
}

TEST(Asks, AskAgainAfterARefusalThatMayPass) {
  AskWorld world(plan_of(1));
  world.asks.want(first_role_task(0), Placement::NewContainer);
  world.asks.ask_for({first_role_task(0)});
  const std::optional<Request> request = world.asks.answered(RequestId(1));
  world.asks.ask_later(*request, "the queue is full");
  const std::vector<SetDeadline> set = world.take<SetDeadline>();
  ASSERT_EQ(set.size(), 1U);
  EXPECT_EQ(set.front().waits_for, "asking again for worker: the queue is full");
  EXPECT_EQ(world.asks.next_step(first_role_task(0)), Asks::Step::Nothing);
}

TEST(Places, GiveBackAContainerThatIsNobodysPlaceAnyMore) {
  AskWorld world(plan_of(1));
  const TaskId id = first_role_task(0);
  world.place(id, "c1");
  world.places.settle(id, *world.lives.find(ContainerId("c1")));
  world.places.set_leaves(id, true);
  EXPECT_TRUE(world.places.mates_leave(id));
  world.lives.end(id, std::nullopt, TaskState::Waiting);
  world.places.attempt_ended(id, *world.lives.find(ContainerId("c1")));
  EXPECT_EQ(world.take<ReleaseContainer>().size(), 1U);
  EXPECT_FALSE(world.places.of(id).at_home);
  EXPECT_TRUE(world.places.tallies_hold());
}

TEST(Places, ReleaseAGrantThatNobodyWants) {
  AskWorld world(plan_of(1));
  world.places.take_in_unwanted({.container = ContainerId("late"), .host = HostName("h1")});
  EXPECT_EQ(world.take<ReleaseContainer>().size(), 1U);
  world.places.tell_again();
  EXPECT_EQ(world.take<ReleaseContainer>().size(), 1U);
}

}  // namespace
}  // namespace muster::job
