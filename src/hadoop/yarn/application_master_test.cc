#include "hadoop/yarn/application_master.h"

#include "hadoop/yarn/fake_cluster_test.h"

namespace muster::hadoop::yarn {
namespace {

using ApplicationMasterTest = FakeClusterTest;

TEST_F(ApplicationMasterTest, RegistersAsksStartsAndFinishes) {
  become_master();
  EXPECT_EQ(cluster.application(id).presence.host(), "edge");
  const auto grant = started(1);
  EXPECT_EQ(grant.allocation, AllocationId(1));
  EXPECT_TRUE(first.runs(grant.id));
  first.finish(grant.id, 0);
  const auto ended = beat().harvest.completed;
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].exit_status, 0);
  EXPECT_TRUE(run(master->finish({.status = FinalStatus::Succeeded, .diagnostics = "done"}, soon()))
                  .has_value());
  EXPECT_EQ(cluster.application(id).state, ApplicationState::Finished);
  EXPECT_EQ(cluster.application(id).farewell.diagnostics(), "done");
}

TEST_F(ApplicationMasterTest, GetsThePreferredHostWhereThereIsRoomAndElseAnother) {
  become_master();
  auto near = want(1);
  near.preferred = {{.host = second.id().host, .rack = "/default-rack"}};
  master->book().ask(near);
  (void)beat();
  const auto granted = beat().harvest.granted;
  ASSERT_EQ(granted.size(), 1U);
  EXPECT_EQ(granted[0].node.host, second.id().host);
  auto nowhere = want(2);
  nowhere.preferred = {{.host = "gone", .rack = "/default-rack"}};
  master->book().ask(nowhere);
  (void)beat();
  EXPECT_EQ(beat().harvest.granted.size(), 1U);
}

TEST_F(ApplicationMasterTest, WhatIsWantedOnAHostAloneWaitsForItUntilAnyWillDo) {
  become_master();
  auto strict = want(1);
  strict.preferred = {{.host = "gone", .rack = "/default-rack"}};
  strict.only_there = true;
  master->book().ask(strict);
  (void)beat();
  EXPECT_TRUE(beat().harvest.granted.empty());
  master->book().ask(want(1));
  (void)beat();
  EXPECT_EQ(beat().harvest.granted.size(), 1U);
}

TEST_F(ApplicationMasterTest, ALostAnswerLosesNothingAndGrantsNothingTwice) {
  become_master();
  master->book().ask(want(1));
  cluster.master_side().lose_next_reply("allocate");
  (void)beat();
  cluster.master_side().lose_next_reply("allocate");
  EXPECT_EQ(beat().harvest.granted.size(), 1U);
  EXPECT_EQ(cluster.application(id).held.size(), 1U);
  EXPECT_EQ(cluster.application(id).asks.size(), 2U);
}

TEST_F(ApplicationMasterTest, AnAttemptWhoseRegistrationHadNoAnswerLeavesItToTheNext) {
  auto submitted = submission();
  id = submitted.id;
  ASSERT_TRUE(run(client.submit(std::move(submitted), soon())).has_value());
  connect();
  cluster.master_side().lose_next_reply("registerApplicationMaster");
  const auto lost = run(master->register_self({.host = "edge"}, soon()));
  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().code, Errc::NotFound) << lost.error().message;
  cluster.fail_master(id, "it has ended without a word");
  connect();
  EXPECT_TRUE(run(master->register_self({.host = "edge"}, soon())).has_value());
}

TEST_F(ApplicationMasterTest, ASilentResourceManagerIsAskedAgainLater) {
  become_master();
  master->book().ask(want(1));
  cluster.master_side().set_reachable(false);
  const auto failed = run(master->heartbeat(soon()));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Errc::Unavailable);
  cluster.master_side().set_reachable(true);
  (void)beat();
  EXPECT_EQ(beat().harvest.granted.size(), 1U);
}

TEST_F(ApplicationMasterTest, SaysEverythingAnewToARestartedResourceManager) {
  become_master();
  const auto running = started(1);
  master->book().ask(want(2, 2));
  master->book().avoid({"h9"});
  cluster.hold_grants(true);
  (void)beat();
  cluster.restart();
  const auto after = beat();
  EXPECT_TRUE(after.resynced);
  const auto& said = cluster.application(id).asks.back();
  EXPECT_EQ(said.response_id(), 0);
  ASSERT_EQ(said.ask_size(), 1);
  EXPECT_EQ(said.ask(0).num_containers(), 2);
  ASSERT_EQ(said.blacklist_request().blacklist_additions_size(), 1);
  EXPECT_EQ(said.blacklist_request().blacklist_additions(0), "h9");
  EXPECT_TRUE(cluster.application(id).held.contains(running.id));
  cluster.hold_grants(false);
  EXPECT_EQ(beat().harvest.granted.size(), 2U);
}

TEST_F(ApplicationMasterTest, ARestartedResourceManagerTellsOfEndsThatItHadNotToldYet) {
  become_master();
  const auto running = started(1);
  first.finish(running.id, 3);
  cluster.restart();
  const auto completed = beat().harvest.completed;
  ASSERT_EQ(completed.size(), 1U);
  EXPECT_EQ(completed[0].exit_status, 3);
}

TEST_F(ApplicationMasterTest, AnEndWhoseAnswerIsLostIsToldByTheNextResourceManager) {
  become_master();
  const auto running = started(1);
  first.finish(running.id, 3);
  cluster.master_side().lose_next_reply("allocate");
  EXPECT_FALSE(run(master->heartbeat(loop.now() + std::chrono::milliseconds(50))).has_value());
  cluster.restart();
  EXPECT_EQ(beat().harvest.completed.size(), 1U);
}

/// A container ends, and then the master's attempt, which leaves its containers to the next one.
struct NextAttemptTest : ApplicationMasterTest {
  void SetUp() override {
    auto kept = submission();
    kept.keep_containers = true;
    become_master(kept);
    first.finish(started(1).id, 3);
  }
  /// Returns what the next attempt is told in its first response.
  auto ends_told_to_the_next() {
    cluster.fail_master(id, "killed");
    connect();
    EXPECT_TRUE(run(master->register_self({.host = "edge"}, soon()))->kept.empty());
    return beat().harvest.completed;
  }
};

TEST_F(NextAttemptTest, IsToldOfAnEndThatTheLastMayNotHaveHeard) {
  cluster.master_side().lose_next_reply("allocate");
  EXPECT_FALSE(run(master->heartbeat(loop.now() + std::chrono::milliseconds(50))).has_value());
  EXPECT_EQ(ends_told_to_the_next().size(), 1U);
}

TEST_F(NextAttemptTest, IsNotToldOfAnEndThatTheLastHasHeard) {
  EXPECT_EQ(beat().harvest.completed.size(), 1U);
  (void)beat();
  EXPECT_TRUE(ends_told_to_the_next().empty());
}

TEST_F(ApplicationMasterTest, GrantsThatComeTwiceOrUnaskedAreSortedOut) {
  become_master();
  master->book().ask(want(1));
  (void)beat();
  cluster.repeat_next_grants();
  EXPECT_EQ(beat().harvest.granted.size(), 1U);
  EXPECT_TRUE(beat().harvest.granted.empty());
  cluster.grant_unasked(id, AllocationId(5));
  EXPECT_TRUE(beat().harvest.granted.empty());
  (void)beat();
  EXPECT_EQ(cluster.application(id).released.size(), 1U);
  EXPECT_EQ(cluster.application(id).held.size(), 1U);
}

TEST_F(ApplicationMasterTest, NobodyIsGrantedAContainerOnALostNode) {
  become_master();
  cluster.lose(first.id());
  cluster.grant_unasked(id, AllocationId(5));
  ASSERT_EQ(cluster.application(id).held.size(), 1U);
  EXPECT_EQ(cluster.application(id).held.begin()->second.node_id().host(), second.id().host);
}

TEST_F(ApplicationMasterTest, ALateGrantOfAWithdrawnRequestIsGivenBack) {
  become_master();
  cluster.set_grant_delay(std::chrono::seconds(2));
  master->book().ask(want(1));
  (void)beat();
  loop.advance(std::chrono::seconds(3));
  master->book().withdraw(AllocationId(1));
  EXPECT_TRUE(beat().harvest.granted.empty());
  (void)beat();
  EXPECT_TRUE(cluster.application(id).held.empty());
}

class PlacementTest : public FakeClusterTest {
 protected:
  PlacementTest() : FakeClusterTest({.placement = true, .masters_outside = true}) {}
};

SchedulingRequest placed(int64_t allocation) {
  return {.allocation = AllocationId(allocation),
          .count = 1,
          .each = {.memory_mb = 256, .vcores = 1},
          .tags = {"worker"},
          .constraint = {}};
}

TEST_F(PlacementTest, PlacedAndOrdinaryRequestsAreBothGranted) {
  become_master();
  master->book().ask(want(1));
  master->book().ask_placed(placed(2));
  size_t granted = 0;
  for (int i = 0; i < 3; ++i) {
    granted += beat().harvest.granted.size();
  }
  EXPECT_EQ(granted, 2U);
}

TEST_F(ApplicationMasterTest, ARefusedPlacedRequestLeavesTheOthersInPlace) {
  become_master();
  cluster.hold_grants(true);
  master->book().ask(want(1));
  (void)beat();
  master->book().ask_placed(placed(2));
  const auto refused = run(master->heartbeat(soon()));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::Unsupported);
  EXPECT_NE(refused.error().message.find("leave `constraint` and `allocation_tags` out"),
            std::string::npos);
  master->book().withdraw(AllocationId(2));
  master->book().refused();
  cluster.hold_grants(false);
  (void)beat();
  (void)beat();
  EXPECT_EQ(cluster.application(id).held.size(), 1U);
}

TEST_F(ApplicationMasterTest, TellsOfLostNodes) {
  become_master();
  const auto running = started(1);
  cluster.lose(running.node);
  const auto heartbeat = beat();
  ASSERT_EQ(heartbeat.harvest.completed.size(), 1U);
  EXPECT_EQ(heartbeat.harvest.completed[0].exit_status, static_cast<int>(ExitStatus::Aborted));
  ASSERT_EQ(heartbeat.updated_nodes.size(), 1U);
  EXPECT_EQ(heartbeat.updated_nodes[0].state, NodeState::Lost);
}

TEST_F(ApplicationMasterTest, TellsOfPreemptionBeforeAndAfter) {
  become_master();
  const auto running = started(1);
  cluster.warn(id, {running.id}, true);
  EXPECT_EQ(beat().preempted, std::vector{running.id});
  cluster.take(running.id);
  const auto completed = beat().harvest.completed;
  ASSERT_EQ(completed.size(), 1U);
  EXPECT_EQ(completed[0].exit_status, static_cast<int>(ExitStatus::Preempted));
}

TEST_F(ApplicationMasterTest, AnEndIsToldOnce) {
  become_master();
  const auto running = started(1);
  first.finish(running.id, 3);
  EXPECT_EQ(beat().harvest.completed.size(), 1U);
  cluster.repeat_completion(running.id);
  EXPECT_TRUE(beat().harvest.completed.empty());
}

TEST_F(ApplicationMasterTest, TakesARolledTokenOver) {
  become_master();
  cluster.roll_token(id);
  const auto old = token->get();
  (void)beat();
  EXPECT_NE(token->get(), old);
  cluster.activate_token(id);
  (void)beat();
}

TEST_F(ApplicationMasterTest, AMasterThatMissedTheRollIsToldSo) {
  become_master();
  cluster.activate_token(id);
  const auto failed = run(master->heartbeat(soon()));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Errc::Unauthenticated);
}

TEST_F(ApplicationMasterTest, AKilledApplicationIsOver) {
  become_master();
  cluster.kill(id, "operator");
  const auto failed = run(master->heartbeat(soon()));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Errc::NotFound);
}

TEST_F(ApplicationMasterTest, AnAskAboveTheMaximumIsRefusedInTheClustersWords) {
  become_master();
  auto large = want(1);
  large.each.memory_mb = 99999;
  master->book().ask(large);
  const auto failed = run(master->heartbeat(soon()));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Errc::NeverFits);
  EXPECT_NE(failed.error().message.find("memory:99999"), std::string::npos);
}

TEST_F(ApplicationMasterTest, TheNextAttemptFindsItsContainers) {
  auto kept = submission();
  kept.keep_containers = true;
  become_master(kept);
  const auto running = started(1);
  cluster.fail_master(id, "killed");
  connect();
  const auto registration = run(master->register_self({.host = "edge"}, soon()));
  ASSERT_EQ(registration->kept.size(), 1U);
  EXPECT_EQ(registration->kept[0].id, running.id);
  ASSERT_EQ(registration->node_tokens.size(), 1U);
  EXPECT_TRUE(first.runs(running.id));
}

TEST_F(ApplicationMasterTest, FinishesWithAResourceManagerThatForgotIt) {
  become_master();
  cluster.restart();
  EXPECT_TRUE(run(master->finish({.status = FinalStatus::Failed}, soon())).has_value());
  EXPECT_EQ(cluster.application(id).final_status, FinalStatus::Failed);
}

TEST_F(ApplicationMasterTest, AvoidedHostsGetNothing) {
  become_master();
  master->book().avoid({"h1"});
  (void)beat();
  master->book().ask(want(1));
  (void)beat();
  EXPECT_EQ(beat().harvest.granted.at(0).node.host, "h2");
}

TEST_F(ApplicationMasterTest, AContainerWithoutAnIdIsDamage) {
  become_master();
  cluster.application(id).outbox.add_completed_container_statuses();
  const auto failed = run(master->heartbeat(soon()));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Errc::Corrupt);
}

}  // namespace
}  // namespace muster::hadoop::yarn
