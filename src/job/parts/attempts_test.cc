#include "job/parts/attempts.h"

#include "job/parts/ending.h"
#include "job/parts/fence.h"
#include "job/parts/gangs.h"
#include "job/parts/parts_test.h"
#include "job/parts/places.h"
#include "job/parts/roles.h"
#include "job/parts/views.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

struct AttemptWorld : Ground {
  explicit AttemptWorld(Plan the_plan) : Ground(std::move(the_plan)) {}

  /// Makes a container with a ready agent for one task, whose attempt the part places there.
  void settle(uint32_t index, const std::string& name) {
    const Container& container =
        lives.grant({.container = ContainerId(name), .host = HostName("h-" + name)});
    lives.assign(container, kFirstRole, {first_role_task(index)});
    lives.move(container, ContainerState::Launching);
    attempts.place(first_role_task(index), container, 0);
    attempts.agent_ready(container, "127.0.0.1:4000");
  }
  void start(uint32_t index) {
    ASSERT_TRUE(attempts.joined(first_role_task(index), {}));
    views.start({first_role_task(index)});
    attempts.started(first_role_task(index), 7);
    turn.actions.clear();
  }

  Roles roles{deps};
  Views views{deps, state.view};
  Gangs gangs{deps, views};
  Places places{deps, gangs};
  Asks asks{deps, gangs, places, state.requests};
  Fence fence{deps};
  Attempts attempts{deps, roles, views, gangs, places, asks, fence};
  Ending ending{deps, places, attempts, state.outcome, state.ended};
};

TEST(Attempts, ArePreparedWhenTheirAgentSaysHello) {
  AttemptWorld world(plan_of(1));
  world.settle(0, "c1");
  const std::vector<PrepareAttempt> prepared = world.take<PrepareAttempt>();
  ASSERT_EQ(prepared.size(), 1U);
  EXPECT_EQ(prepared.front().attempt, (AttemptId{first_role_task(0), 1}));
  EXPECT_TRUE(world.attempts.joined(first_role_task(0), {}));
  EXPECT_FALSE(world.attempts.joined(first_role_task(0), {}));
}

TEST(Attempts, MeanSuccessOnlyIfTheyWereStarted) {
  AttemptWorld world(plan_of(2));
  world.settle(0, "c1");
  world.start(0);
  EXPECT_TRUE(world.attempts.ended(first_role_task(0), Exit{.exit_code = 0}).succeeded);
  world.settle(1, "c2");
  const Attempts::Meaning early = world.attempts.ended(first_role_task(1), Exit{.exit_code = 0});
  ASSERT_TRUE(early.failed);
  EXPECT_EQ(early.failed->first.failure.class_name, "attempt.vanished");
}

TEST(Attempts, AreWantedAgainAfterTheyEndedAsTold) {
  AttemptWorld world(plan_of(1));
  world.roles.set_asked(kFirstRole);
  world.settle(0, "c1");
  world.start(0);
  world.attempts.tell_to_stop(std::vector<Move>{{.task = first_role_task(0), .grace = 5s}});
  EXPECT_EQ(world.take<StopAttempt>().front().grace, 5s);
  const Attempts::Meaning meaning = world.attempts.ended(first_role_task(0), Exit{.signal = 15});
  EXPECT_FALSE(meaning.failed || meaning.succeeded);
  EXPECT_EQ(world.take<ClearDeadline>().size(), 1U);
  EXPECT_TRUE(world.asks.of(first_role_task(0)).wanted);
}

TEST(Attempts, NameThoseOfABatchThatHaveNotEnded) {
  AttemptWorld world(plan_of(1));
  world.settle(0, "c1");
  world.start(0);
  world.attempts.tell_to_stop(std::vector<Move>{{.task = first_role_task(0)}});
  EXPECT_EQ(world.attempts.batch_passed(1).size(), 1U);
  EXPECT_TRUE(world.attempts.batch_passed(1).empty());
}

TEST(Attempts, NeverUseANumberThatAnAgentHasSeen) {
  AttemptWorld world(plan_of(1));
  world.attempts.saw({first_role_task(0), 4});
  world.settle(0, "c1");
  EXPECT_EQ(world.lives.live(first_role_task(0))->number, 5U);
}

TEST(Attempts, FailWithTheirContainer) {
  AttemptWorld world(plan_of(1));
  world.settle(0, "c1");
  world.start(0);
  const std::vector<Cause> causes = world.attempts.lose(
      *world.lives.find(ContainerId("c1")), true, [&](TaskId id, const Attempt& attempt) {
        return cause_of_loss(id, attempt, LossReason::Closed, world.turn.now);
      });
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(world.lives.containers_open(), 0U);
  EXPECT_FALSE(world.places.of(first_role_task(0)).at_home);
}

TEST(Ending, StopsRolesThatRelyOnOthersFirst) {
  Plan plan = plan_of(1);
  plan.roles.push_back({.name = "evaluator", .tasks = 1, .tasks_min = 1});
  plan.roles.back().after = {{kFirstRole, spec::Condition::Running}};
  AttemptWorld world(plan);
  const TaskId evaluator{RoleIndex(1), 0};
  world.settle(0, "c1");
  world.start(0);
  world.run(evaluator, "c2");
  world.places.settle(evaluator, *world.lives.find(ContainerId("c2")));
  world.lives.move(JobPhase::Stopping);
  world.ending.begin({.result = JobResult::Succeeded});
  ASSERT_EQ(world.take<StopAttempt>().front().attempt.task, evaluator);
  (void)world.attempts.ended(evaluator, Exit{.signal = 15});
  world.ending.advance();
  EXPECT_EQ(world.take<StopAttempt>().front().attempt.task, first_role_task(0));
}

TEST(Ending, FinishesWhenEveryContainerIsGone) {
  AttemptWorld world(plan_of(1));
  world.settle(0, "c1");
  world.lives.move(JobPhase::Stopping);
  world.ending.begin({.result = JobResult::Stopped});
  EXPECT_EQ(world.take<ReleaseContainer>().size(), 1U);
  world.ending.advance();
  EXPECT_TRUE(world.take<Finish>().empty());
  world.lives.move(*world.lives.find(ContainerId("c1")), ContainerState::Gone);
  world.ending.advance();
  EXPECT_EQ(world.take<Finish>().size(), 1U);
  EXPECT_EQ(world.state.phase, JobPhase::Ended);
  world.ending.after_the_end(AgentJoined{.container = ContainerId("c9"), .address = ""});
  EXPECT_EQ(world.take<ReleaseContainer>().size(), 1U);
}

}  // namespace
}  // namespace muster::job
