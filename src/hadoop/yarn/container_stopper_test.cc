#include "hadoop/yarn/container_stopper.h"

#include "hadoop/yarn/fake_cluster_test.h"

namespace muster::hadoop::yarn {
namespace {

using Fate = ContainerStopper::Fate;

class ContainerStopperTest : public FakeClusterTest {
 protected:
  Result<Fate> stop(const Grant& grant) { return run(stopper_.stop(grant.id, grant.node, soon())); }

  ContainerStopper stopper_{connections};
};

TEST_F(ContainerStopperTest, WhatEndsAtOnceIsGone) {
  become_master();
  const auto grant = started(1);
  EXPECT_EQ(stop(grant), Fate::Gone);
  EXPECT_FALSE(first.runs(grant.id));
  EXPECT_EQ(stop(grant), Fate::Gone);
  const auto ended = beat().harvest.completed;
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].exit_status, static_cast<int32_t>(ExitStatus::StoppedByMaster));
}

TEST_F(ContainerStopperTest, WhatOutlivesItsReleaseIsNotGone) {
  become_master();
  const auto grant = started(1);
  first.let_linger(grant.id);
  master->book().release(grant.id);
  // The resource manager's word alone says nothing about the processes.
  EXPECT_EQ(beat().harvest.completed.size(), 1U);
  EXPECT_EQ(stop(grant), Fate::Ending);
  first.finish(grant.id, 137);
  EXPECT_EQ(stop(grant), Fate::Gone);
}

TEST_F(ContainerStopperTest, WhatItsNodeDoesNotKnowIsGone) {
  become_master();
  const auto grant = started(1);
  first.lose_all();
  EXPECT_EQ(stop(grant), Fate::Gone);
}

TEST_F(ContainerStopperTest, ANodeThatCannotBeReachedSaysNothing) {
  become_master();
  const auto grant = started(1);
  first.set_reachable(false);
  const auto fate = stop(grant);
  ASSERT_FALSE(fate.has_value());
  EXPECT_EQ(fate.error().code, Errc::Unavailable);
  EXPECT_NE(fate.error().message.find(to_string(grant.id)), std::string::npos);
}

}  // namespace
}  // namespace muster::hadoop::yarn
