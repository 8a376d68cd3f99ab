#include "job/liveness.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

const ContainerId kAgent("c1");

HostTime at(Duration since) { return HostTime(since); }

class LivenessTest : public ::testing::Test {
 protected:
  Liveness liveness_{LivenessPlan{}};
};

TEST_F(LivenessTest, WatchesNobodyAtFirst) {
  EXPECT_EQ(liveness_.due(), HostTime::max());
  EXPECT_TRUE(liveness_.judge(at(100s)).empty());
}

TEST_F(LivenessTest, SuspectsAfterThreeSecondsOfSilence) {
  liveness_.watch(kAgent, at(0s));
  EXPECT_EQ(liveness_.due(), at(3s));
  const std::vector<Fact> verdicts = liveness_.judge(at(3s));
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(std::get<AgentSuspected>(verdicts.front()).container, kAgent);
  EXPECT_EQ(liveness_.due(), at(10s));
}

TEST_F(LivenessTest, LosesAfterTenSecondsAndForgets) {
  liveness_.watch(kAgent, at(0s));
  (void)liveness_.judge(at(3s));
  const std::vector<Fact> verdicts = liveness_.judge(at(10s));
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(std::get<AgentLost>(verdicts.front()).reason, LossReason::Silent);
  EXPECT_EQ(liveness_.due(), HostTime::max());
}

TEST_F(LivenessTest, ABeatOfOneThatIsNotWatchedChangesNothing) {
  EXPECT_FALSE(liveness_.beat(ContainerId("c9"), at(2s)));
  EXPECT_EQ(liveness_.due(), HostTime::max());
  EXPECT_TRUE(liveness_.judge(at(100s)).empty());
}

TEST_F(LivenessTest, ABeatPutsTheVerdictOff) {
  liveness_.watch(kAgent, at(0s));
  EXPECT_FALSE(liveness_.beat(kAgent, at(2s)));
  EXPECT_TRUE(liveness_.judge(at(3s)).empty());
  EXPECT_EQ(liveness_.due(), at(5s));
}

TEST_F(LivenessTest, ABeatOfASuspectAsksForAReport) {
  liveness_.watch(kAgent, at(0s));
  (void)liveness_.judge(at(3s));
  EXPECT_TRUE(liveness_.beat(kAgent, at(4s)));
  EXPECT_TRUE(liveness_.beat(kAgent, at(5s))) << "until it has reported";
  liveness_.watch(kAgent, at(6s));
  EXPECT_FALSE(liveness_.beat(kAgent, at(7s)));
}

TEST_F(LivenessTest, ADeadProcessIsLostAtOnce) {
  liveness_.watch(kAgent, at(0s));
  liveness_.closed(kAgent, at(1s), true);
  EXPECT_EQ(liveness_.due(), at(1s));
  const std::vector<Fact> verdicts = liveness_.judge(at(1s));
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(std::get<AgentLost>(verdicts.front()).reason, LossReason::Closed);
}

TEST_F(LivenessTest, AClosedConnectionAloneOnlyKeepsSilent) {
  liveness_.watch(kAgent, at(0s));
  liveness_.closed(kAgent, at(1s), false);
  EXPECT_EQ(liveness_.due(), at(3s));
  liveness_.reconnected(kAgent, at(2s));
  EXPECT_TRUE(liveness_.judge(at(3s)).empty());
}

TEST_F(LivenessTest, ItsOwnStallIsNotHeldAgainstTheAgents) {
  liveness_.watch(kAgent, at(0s));
  const std::vector<Fact> verdicts = liveness_.judge(at(60s));
  ASSERT_EQ(verdicts.size(), 1U) << "silent for 3 s of time in which the master listened";
  EXPECT_TRUE(std::holds_alternative<AgentSuspected>(verdicts.front()));
  EXPECT_EQ(liveness_.due(), at(67s));
}

TEST_F(LivenessTest, WhoBeatAfterTheStallIsNotSuspected) {
  liveness_.watch(kAgent, at(0s));
  liveness_.beat(kAgent, at(60s));
  EXPECT_TRUE(liveness_.judge(at(60s)).empty());
}

TEST_F(LivenessTest, ForgetsWhomItShouldNotWatch) {
  liveness_.watch(kAgent, at(0s));
  liveness_.forget(kAgent);
  EXPECT_EQ(liveness_.due(), HostTime::max());
  EXPECT_FALSE(liveness_.beat(kAgent, at(1s)));
}

TEST_F(LivenessTest, VerdictsComeInContainerOrder) {
  liveness_.watch(ContainerId("c2"), at(0s));
  liveness_.watch(ContainerId("c1"), at(0s));
  const std::vector<Fact> verdicts = liveness_.judge(at(3s));
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(std::get<AgentSuspected>(verdicts[0]).container, ContainerId("c1"));
}

}  // namespace
}  // namespace muster::job
