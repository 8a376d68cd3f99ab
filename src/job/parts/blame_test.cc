#include "job/parts/blame.h"

#include "job/parts/parts_test.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

/// Three tasks that run, on three hosts.
struct BlameWorld : Ground {
  BlameWorld() : Ground(plan_of(3, spec::Membership::Static)) {
    for (uint32_t index = 0; index < 3; ++index) {
      run(first_role_task(index), "c" + std::to_string(index));
    }
  }
  std::optional<Part> part_of(uint32_t index) const {
    return lives.task(first_role_task(index)).attempts.back().part;
  }

  Blame blame{deps};
};

TEST(Blame, MakesThoseThatLostTheirPeersVictimsOfALaterOrigin) {
  BlameWorld world;
  const Blame::Answer waits =
      world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss));
  EXPECT_TRUE(std::holds_alternative<Blame::Waits>(waits));
  EXPECT_EQ(world.take<SetDeadline>().size(), 1U);
  const Blame::Answer answer =
      world.blame.failed(world.fail(first_role_task(1), FailureKind::Program));
  const auto& verdict = std::get<Blame::Verdict>(answer);
  EXPECT_EQ(verdict.origin.task(), first_role_task(1));
  ASSERT_EQ(verdict.victims.size(), 1U);
  EXPECT_EQ(verdict.origin.first.victims, 1U);
  EXPECT_EQ(world.part_of(0), Part::Victim);
  EXPECT_EQ(world.part_of(1), Part::Origin);
  EXPECT_EQ(world.take<ClearDeadline>().size(), 1U);
}

TEST(Blame, FallsOnTheEarliestWhenNobodyRunsAnyMore) {
  BlameWorld world;
  (void)world.blame.failed(world.fail(first_role_task(2), FailureKind::PeerLoss));
  world.turn.now += 1s;
  (void)world.blame.failed(world.fail(first_role_task(1), FailureKind::PeerLoss));
  world.turn.now += 1s;
  const Blame::Answer answer =
      world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss));
  EXPECT_EQ(std::get<Blame::Verdict>(answer).origin.task(), first_role_task(2));
}

TEST(Blame, LetsALateVictimOfACuredWaveGoFreeOnce) {
  BlameWorld world;
  (void)world.blame.failed(world.fail(first_role_task(1), FailureKind::Program));
  world.blame.set_cured(true);
  EXPECT_TRUE(std::holds_alternative<Blame::LateVictim>(
      world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss))));
  world.place_again(first_role_task(0), "c0");
  EXPECT_TRUE(std::holds_alternative<Blame::Waits>(
      world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss))));
}

TEST(Blame, WaitsOnceMoreWhileAnAgentIsSuspected) {
  BlameWorld world;
  (void)world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss));
  world.lives.suspect(*world.lives.find(ContainerId("c1")), true);
  EXPECT_FALSE(world.blame.passed());
  EXPECT_TRUE(world.blame.passed());
}

TEST(Blame, ForgetsALossWhoseTaskWasGivenUp) {
  BlameWorld world;
  (void)world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss));
  world.lives.move(first_role_task(0), TaskState::Stopped);
  EXPECT_TRUE(world.blame.waiting().empty());
  EXPECT_FALSE(world.blame.passed());
}

TEST(Blame, TakesALostHostForOneWave) {
  BlameWorld world;
  const auto lost = [&](uint32_t index) {
    const TaskId id = first_role_task(index);
    Cause cause = cause_of_end(id, *world.lives.live(id), {.kind = ContainerEndKind::HostLost},
                               world.turn.now);
    cause.first.host = HostName("h1");
    world.lives.end(id, std::nullopt, TaskState::Waiting);
    return std::vector<Cause>{cause};
  };
  EXPECT_FALSE(world.blame.failed_together(lost(0))->charged_before);
  world.blame.set_cured(true);
  EXPECT_TRUE(world.blame.failed_together(lost(1))->charged_before);
  EXPECT_EQ(world.blame.waves(), 1U);
  EXPECT_FALSE(world.blame.failed_together({}));
}

TEST(Blame, AbsorbsTheLossesOfAGangThatStartsAgain) {
  BlameWorld world;
  (void)world.blame.failed(world.fail(first_role_task(2), FailureKind::PeerLoss));
  EXPECT_EQ(world.blame.absorb(), std::vector<TaskId>{first_role_task(2)});
  EXPECT_TRUE(world.blame.waiting().empty());
  EXPECT_EQ(world.take<ClearDeadline>().size(), 1U);
}

}  // namespace
}  // namespace muster::job
