#include "hadoop/yarn/container_manager.h"

#include "hadoop/yarn/fake_cluster_test.h"

namespace muster::hadoop::yarn {
namespace {

class ContainerManagerTest : public FakeClusterTest {
 protected:
  Grant granted() {
    master->book().ask(want(++asked_));
    (void)beat();
    return beat().harvest.granted.at(0);
  }
  Result<ContainerOutcomes> start(const Grant& grant) {
    return run(manager.start(
        grant.node, {{.id = grant.id, .token = grant.token, .launch = {.commands = {"true"}}}},
        soon()));
  }

  int64_t asked_ = 0;
};

TEST_F(ContainerManagerTest, StartsAsksAndStops) {
  become_master();
  const auto grant = started(1);
  EXPECT_EQ(first.containers().at(grant.id).launch.commands, std::vector<std::string>{"sleep 9"});
  const auto statuses = run(manager.statuses(grant.node, {grant.id}, soon()));
  ASSERT_EQ(statuses->known.size(), 1U);
  EXPECT_EQ(statuses->known[0].state, ContainerState::Running);
  EXPECT_EQ(run(manager.stop(grant.node, {grant.id}, soon()))->done, std::vector{grant.id});
  EXPECT_EQ(beat().harvest.completed.at(0).exit_status,
            static_cast<int>(ExitStatus::StoppedByMaster));
}

TEST_F(ContainerManagerTest, AStartWhoseAnswerWasLostIsNotRepeated) {
  become_master();
  const auto grant = granted();
  first.lose_next_reply("startContainers");
  const auto outcomes = start(grant);
  ASSERT_TRUE(outcomes.has_value()) << outcomes.error().message;
  EXPECT_EQ(outcomes->done, std::vector{grant.id});
  EXPECT_EQ(first.calls("startContainers"), 1);
  EXPECT_EQ(first.containers().at(grant.id).starts, 1);
}

TEST_F(ContainerManagerTest, WaitsForANodeManagerThatIsJustStarting) {
  become_master();
  const auto grant = granted();
  first.throw_next("startContainers", "org.apache.hadoop.yarn.exceptions.NMNotYetReadyException",
                   "Rejecting new containers as NodeManager has not yet connected with "
                   "ResourceManager");
  EXPECT_EQ(start(grant)->done, std::vector{grant.id});
}

TEST_F(ContainerManagerTest, SaysWhyAContainerDidNotStart) {
  become_master();
  const auto grant = granted();
  first.refuse_next_start("org.apache.hadoop.yarn.exceptions.YarnException",
                          "Unauthorized request to start container. This token is expired. current "
                          "time is 2 found 1\nNote: System times on machines may be out of sync.");
  const auto outcomes = start(grant);
  ASSERT_TRUE(outcomes.has_value());
  ASSERT_EQ(outcomes->failed.size(), 1U);
  const auto& error = outcomes->failed.at(grant.id);
  EXPECT_EQ(error.code, Errc::NotFound);
  EXPECT_NE(error.message.find("This token is expired"), std::string::npos);
}

TEST_F(ContainerManagerTest, ContainersThatTheNodeDoesNotKnowAreNamed) {
  become_master();
  const auto grant = granted();
  const auto statuses = run(manager.statuses(grant.node, {grant.id}, soon()));
  EXPECT_TRUE(statuses->known.empty());
  EXPECT_EQ(statuses->unknown.size(), 1U);
}

TEST_F(ContainerManagerTest, WithoutATokenThereIsNoConnection) {
  const auto nowhere = run(manager.stop({"h1", 45454}, {}, soon()));
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().code, Errc::Unauthenticated);
  EXPECT_EQ(connections.open(), 0U);
}

TEST_F(ContainerManagerTest, ADeadNodeIsGivenUpAtTheDeadline) {
  become_master();
  const auto grant = granted();
  first.set_reachable(false);
  const auto outcomes = start(grant);
  ASSERT_FALSE(outcomes.has_value());
  EXPECT_EQ(outcomes.error().code, Errc::Unavailable);
}

TEST_F(ContainerManagerTest, ClosesConnectionsThatNobodyUses) {
  become_master();
  const auto one = started(1);
  EXPECT_EQ(connections.open(), 1U);
  loop.advance(std::chrono::minutes(2));
  cluster.report_node(one.node, NodeState::Unhealthy);
  const auto two = started(2);
  EXPECT_EQ(two.node.host, "h2");
  EXPECT_EQ(connections.open(), 1U);
}

TEST_F(ContainerManagerTest, AddsFilesToARunningContainer) {
  become_master();
  const auto grant = started(1);
  EXPECT_TRUE(
      run(manager.localize(grant.node, grant.id, {{"patch.py", {.size = 3}}}, soon())).has_value());
  const auto files = run(manager.localizations(grant.node, grant.id, soon()));
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->at(0).file, "patch.py");
  EXPECT_EQ(files->at(0).state, LocalizationState::Completed);
}

TEST_F(ContainerManagerTest, StartsSomethingElseInTheSameContainer) {
  become_master();
  const auto grant = started(1);
  EXPECT_TRUE(
      run(manager.reinitialize(grant.node, grant.id, {.commands = {"other"}}, false, soon()))
          .has_value());
  EXPECT_EQ(first.containers().at(grant.id).launch.commands, std::vector<std::string>{"other"});
  EXPECT_TRUE(run(manager.commit(grant.node, grant.id, soon())).has_value());
  EXPECT_TRUE(run(manager.restart(grant.node, grant.id, soon())).has_value());
  EXPECT_EQ(first.containers().at(grant.id).starts, 3);
  first.finish(grant.id, 1);
  EXPECT_FALSE(run(manager.restart(grant.node, grant.id, soon())).has_value());
}

}  // namespace
}  // namespace muster::hadoop::yarn
