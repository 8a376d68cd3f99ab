#include "job/parts/fence.h"

#include "job/parts/parts_test.h"
#include "job/unheard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace muster::job {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ContainerId kOld{"c1"};

/// Two tasks that ran in one container, which is lost.
struct FenceWorld : Ground {
  FenceWorld() : Ground(plan_of(2)) {
    run(first_role_task(0), kOld.value);
    fence.watch({first_role_task(0), 1}, *lives.find(kOld));
    fence.watch({first_role_task(1), 1}, *lives.find(kOld));
  }

  Fence fence{deps};
};

TEST(Fence, HoldsUntilTheContainerIsGone) {
  FenceWorld world;
  const auto deadlines = world.take<SetDeadline>();
  ASSERT_EQ(deadlines.size(), 1U);
  EXPECT_EQ(deadlines[0].at, Time(10s));
  EXPECT_TRUE(world.fence.holds(first_role_task(1)));
  EXPECT_EQ(world.fence.wait_of(first_role_task(1)),
            "the end of worker:1#1 on h-c1, which was lost");
  EXPECT_THAT(world.fence.gone(kOld), ElementsAre(first_role_task(0), first_role_task(1)));
  EXPECT_FALSE(world.fence.holds(first_role_task(0)));
  EXPECT_EQ(world.fence.wait_of(first_role_task(0)), "");
  EXPECT_EQ(world.take<ClearDeadline>().size(), 1U);
  EXPECT_THAT(world.fence.gone(kOld), IsEmpty());
}

TEST(Fence, AnAttemptThatSaysItsEndIsWaitedForNoLonger) {
  FenceWorld world;
  EXPECT_THAT(world.fence.ended({first_role_task(1), 2}), IsEmpty());
  EXPECT_THAT(world.fence.ended({first_role_task(1), 1}), ElementsAre(first_role_task(1)));
  EXPECT_TRUE(world.fence.holds(first_role_task(0)));
  EXPECT_TRUE(world.fence.tallies_hold());
  EXPECT_THAT(world.fence.ended({first_role_task(0), 1}), ElementsAre(first_role_task(0)));
  EXPECT_EQ(world.take<ClearDeadline>().size(), 1U);
}

TEST(Fence, AJobThatStopsWaitsForNobody) {
  FenceWorld world;
  EXPECT_THAT(world.fence.forget(), ElementsAre(kOld));
  EXPECT_FALSE(world.fence.holds(first_role_task(0)));
  EXPECT_TRUE(world.fence.tallies_hold());
  EXPECT_THAT(world.fence.forget(), IsEmpty());
}

TEST(Unheard, IsAnAttemptThatWasGivenUpWithoutAnEnd) {
  Ground world(plan_of(2));
  world.run(first_role_task(0), "c1");
  world.run(first_role_task(1), "c2");
  EXPECT_FALSE(ended_unheard(world.state, ContainerId("c1"))) << "it runs";
  world.lives.end(first_role_task(0), std::nullopt, TaskState::Waiting);
  (void)world.fail(first_role_task(1), FailureKind::User);
  EXPECT_TRUE(ended_unheard(world.state, ContainerId("c1")));
  EXPECT_FALSE(ended_unheard(world.state, ContainerId("c2"))) << "its end was told";
  EXPECT_FALSE(ended_unheard(world.state, ContainerId("c9")));
}

TEST(Unheard, IsNotWhatNeverRan) {
  Ground world(plan_of(1));
  world.place(first_role_task(0), "c1");
  world.lives.end(first_role_task(0), std::nullopt, TaskState::Waiting);
  EXPECT_FALSE(ended_unheard(world.state, ContainerId("c1")));
}

TEST(Fence, TellsWhoMayStillRunWhenNobodyConfirms) {
  FenceWorld world;
  EXPECT_THAT(world.fence.passed(kOld), ElementsAre(first_role_task(0), first_role_task(1)));
  EXPECT_EQ(world.state.chronicle.unconfirmed().size(), 2U);
  EXPECT_THAT(world.fence.watched(), IsEmpty());
}

TEST(Fence, WatchesAnAttemptOnce) {
  FenceWorld world;
  world.fence.watch({first_role_task(0), 1}, *world.lives.find(kOld));
  EXPECT_EQ(world.fence.watched().size(), 2U);
  EXPECT_EQ(world.take<SetDeadline>().size(), 1U);
}

}  // namespace
}  // namespace muster::job
