#include "job/parts/blame.h"

#include "job/parts/parts_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace muster::job {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Three running tasks, on three hosts.
struct BlameWorld : Ground {
  explicit BlameWorld(spec::Membership membership = spec::Membership::Static)
      : Ground(plan_of(3, membership)) {
    for (uint32_t index = 0; index < 3; ++index) {
      run(first_role_task(index), "c" + std::to_string(index));
    }
  }
  /// Loses the containers of these tasks together with one host.
  std::vector<Cause> lose_on_one_host(const std::vector<uint32_t>& indices) {
    std::vector<Cause> causes;
    for (const uint32_t index : indices) {
      const TaskId id = first_role_task(index);
      causes.push_back(
          cause_of_end(id, *lives.live(id), {.kind = ContainerEndKind::HostLost}, turn.now));
      causes.back().first.host = HostName("h1");
      lives.end(id, std::nullopt, TaskState::Waiting);
    }
    return causes;
  }
  /// Its next attempt is placed, but does not run.
  void end_and_place(uint32_t index) {
    lives.end(first_role_task(index), std::nullopt, TaskState::Waiting);
    place_again(first_role_task(index), "c" + std::to_string(index));
  }
  void succeed(uint32_t index) {
    lives.end(first_role_task(index), Exit{.exit_code = 0}, TaskState::Succeeded);
  }
  /// Returns the hint of the origin when the rest have lost a peer.
  std::string hint_after_loss(const std::vector<uint32_t>& rest, const std::string& known = "") {
    Blame::Answer answer;
    for (const uint32_t index : rest) {
      Cause loss = fail(first_role_task(index), FailureKind::PeerLoss);
      loss.first.failure.hint = known;
      answer = blame.failed(loss);
    }
    return std::get<Blame::Verdict>(answer).origin.first.failure.hint;
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

TEST(Blame, NamesWhoLeftWellBeforeItsPeersWereDone) {
  BlameWorld world;
  world.turn.now += 10s;
  world.succeed(1);
  world.turn.now += 3s;
  EXPECT_EQ(world.hint_after_loss({0, 2}),
            "worker:1 left 3.0 s earlier with exit code 0, before its peers were done");
}

TEST(Blame, NamesTheFirstOfSeveralWhoLeftWell) {
  BlameWorld world;
  world.succeed(2);
  world.turn.now += 90s;
  world.succeed(0);
  EXPECT_EQ(world.hint_after_loss({1}, "look at the other"),
            "look at the other; worker:2 and 1 other left with exit code 0 before their peers were "
            "done, the first 1 min 30 s earlier");
}

TEST(Blame, NamesWhoLeftWellAndWasReportedAfterItsPeers) {
  BlameWorld world;
  (void)world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss));
  world.turn.now += 500ms;
  world.succeed(1);
  world.turn.now += 1s;
  EXPECT_EQ(world.hint_after_loss({2}),
            "worker:1 left with exit code 0, before its peers were done");
}

TEST(Blame, NamesNobodyWhoWasDoneAtAnotherTime) {
  BlameWorld later;
  (void)later.blame.failed(later.fail(first_role_task(0), FailureKind::PeerLoss));
  later.turn.now += 2s;
  later.succeed(1);
  EXPECT_EQ(later.hint_after_loss({2}), "");
  BlameWorld before;
  before.turn.now += 10s;
  before.succeed(1);
  before.lives.end(first_role_task(0), std::nullopt, TaskState::Waiting);
  before.turn.now += 10s;
  before.run_again(first_role_task(0), "c0", 2);
  before.lives.end(first_role_task(2), std::nullopt, TaskState::Waiting);
  EXPECT_EQ(before.hint_after_loss({0}), "");
}

TEST(Blame, NamesNobodyWhoWasDoneWherePeersComeAndGo) {
  BlameWorld world(spec::Membership::Rejoin);
  world.succeed(1);
  EXPECT_EQ(world.hint_after_loss({0, 2}), "");
}

TEST(Blame, LetsALateVictimOfACuredWaveGoFreeOnce) {
  BlameWorld world;
  const Cause origin = world.fail(first_role_task(1), FailureKind::Program);
  (void)world.blame.failed(origin);
  world.blame.cured(origin);
  EXPECT_TRUE(std::holds_alternative<Blame::LateVictim>(
      world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss))));
  world.run_again(first_role_task(0), "c0", 2);
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
  const std::vector<Cause> first = world.lose_on_one_host({0});
  EXPECT_FALSE(world.blame.failed_together(first)->charged_before);
  world.blame.cured(first[0]);
  EXPECT_TRUE(world.blame.failed_together(world.lose_on_one_host({1}))->charged_before);
  EXPECT_EQ(world.blame.waves(), 1U);
  EXPECT_FALSE(world.blame.failed_together({}));
}

TEST(Blame, BeginsTheWaveOfALostHostWithTheFirstThatHadStarted) {
  BlameWorld world;
  world.end_and_place(0);
  (void)world.blame.failed(world.fail(first_role_task(2), FailureKind::PeerLoss));
  const std::vector<Cause> first = world.lose_on_one_host({0});
  EXPECT_THAT(world.blame.failed_together(first)->victims, IsEmpty());
  world.blame.cured(first[0]);
  EXPECT_EQ(world.blame.waves(), 0U);
  EXPECT_THAT(world.blame.waiting(), ElementsAre(first_role_task(2)));
  const auto second = world.blame.failed_together(world.lose_on_one_host({1}));
  EXPECT_TRUE(second->charged_before);
  EXPECT_EQ(second->victims.size(), 1U);
  EXPECT_EQ(world.blame.waves(), 1U);
  world.run_again(first_role_task(0), "c0", 2);
  EXPECT_TRUE(std::holds_alternative<Blame::LateVictim>(
      world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss))));
}

TEST(Blame, OfALostContainerFallsOnTheFirstThatHadStarted) {
  BlameWorld world;
  world.end_and_place(0);
  const auto verdict = world.blame.failed_together(world.lose_on_one_host({0, 1, 2}));
  EXPECT_EQ(verdict->origin.task(), first_role_task(1));
  EXPECT_EQ(verdict->origin.first.victims, 2U);
}

TEST(Blame, KeepsTheCuredWaveWhileAnotherIsNot) {
  BlameWorld world;
  const Cause origin = world.fail(first_role_task(1), FailureKind::Program);
  (void)world.blame.failed(origin);
  world.blame.cured(origin);
  (void)world.blame.failed(world.fail(first_role_task(2), FailureKind::Program));
  EXPECT_TRUE(std::holds_alternative<Blame::LateVictim>(
      world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss))));
}

TEST(Blame, IsCuredByStartingOver) {
  BlameWorld world;
  (void)world.blame.failed_together(world.lose_on_one_host({1}));
  world.blame.started_over();
  EXPECT_TRUE(world.blame.failed_together(world.lose_on_one_host({2}))->charged_before);
  EXPECT_TRUE(std::holds_alternative<Blame::LateVictim>(
      world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss))));
}

TEST(Blame, OfALostHostIsChargedAgainAfterAWhile) {
  BlameWorld world;
  const std::vector<Cause> first = world.lose_on_one_host({0});
  (void)world.blame.failed_together(first);
  world.blame.cured(first[0]);
  world.turn.now += world.plan.liveness.lost + 1s;
  EXPECT_FALSE(world.blame.failed_together(world.lose_on_one_host({1}))->charged_before);
  EXPECT_EQ(world.blame.waves(), 2U);
}

TEST(Blame, OfWhatNeverRanWaitsForNobody) {
  BlameWorld world;
  world.end_and_place(0);
  const Blame::Answer answer =
      world.blame.failed(world.fail(first_role_task(0), FailureKind::PeerLoss));
  EXPECT_EQ(std::get<Blame::Verdict>(answer).origin.task(), first_role_task(0));
  EXPECT_EQ(world.blame.waves(), 0U);
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
