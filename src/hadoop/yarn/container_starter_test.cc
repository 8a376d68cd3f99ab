#include "hadoop/yarn/container_starter.h"

#include "hadoop/yarn/fake_cluster_test.h"

namespace muster::hadoop::yarn {
namespace {

class ContainerStarterTest : public FakeClusterTest {
 protected:
  Grant granted() {
    master->book().ask(want(++asked_));
    (void)beat();
    return beat().harvest.granted.at(0);
  }
  Status start(const Grant& grant) {
    return run(starter.start(grant, {.commands = {"true"}}, soon()));
  }

  int64_t asked_ = 0;
};

TEST_F(ContainerStarterTest, StartsWhatItIsTold) {
  become_master();
  const auto grant = started(1);
  const auto& kept = first.containers().at(grant.id);
  ASSERT_EQ(kept.launch.command_size(), 1);
  EXPECT_EQ(kept.launch.command(0), "sleep 9");
  // A container that is already running counts as started.
  EXPECT_TRUE(start(grant).has_value());
  EXPECT_EQ(kept.starts, 1);
}

TEST_F(ContainerStarterTest, AStartWhoseAnswerWasLostIsNotRepeated) {
  become_master();
  const auto grant = granted();
  first.lose_next_reply("startContainers");
  const auto status = start(grant);
  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(first.calls("startContainers"), 1);
  EXPECT_EQ(first.containers().at(grant.id).starts, 1);
}

TEST_F(ContainerStarterTest, WaitsForANodeManagerThatIsJustStarting) {
  become_master();
  const auto grant = granted();
  first.throw_next("startContainers", "org.apache.hadoop.yarn.exceptions.NMNotYetReadyException",
                   "Rejecting new containers as NodeManager has not yet connected with "
                   "ResourceManager");
  EXPECT_TRUE(start(grant).has_value());
}

TEST_F(ContainerStarterTest, SaysWhyAContainerDidNotStart) {
  become_master();
  const auto grant = granted();
  first.refuse_next_start("org.apache.hadoop.yarn.exceptions.YarnException",
                          "Unauthorized request to start container. This token is expired. current "
                          "time is 2 found 1\nNote: System times on machines may be out of sync.");
  const auto status = start(grant);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, Errc::NotFound);
  EXPECT_NE(status.error().message.find("This token is expired"), std::string::npos);
  EXPECT_NE(status.error().message.find(to_string(grant.id)), std::string::npos);
  EXPECT_NE(status.error().message.find("h1:45454"), std::string::npos);
}

TEST_F(ContainerStarterTest, WithoutATokenThereIsNoConnection) {
  const auto nowhere = start({.node = {"h1", 45454}});
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().code, Errc::Unauthenticated);
}

TEST_F(ContainerStarterTest, ADeadNodeIsGivenUpAtTheDeadline) {
  become_master();
  const auto grant = granted();
  first.set_reachable(false);
  const auto status = start(grant);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, Errc::Unavailable);
}

}  // namespace
}  // namespace muster::hadoop::yarn
