#include "job/parts/ask_deadlines.h"

#include "job/parts/parts_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;

struct DeadlineWorld : Ground {
  explicit DeadlineWorld(Plan the_plan) : Ground(std::move(the_plan)) {}

  /// Returns how long the cluster's refusal makes its task wait.
  Duration refused() {
    const Request request{
        .id = RequestId(1), .role = kFirstRole, .tasks = {first_role_task(0)}, .asked = turn.now};
    const Timer<AskTimer> timer = deadlines.refused(request, "the queue is full");
    return timers.pending().at(timer.id).at - turn.now;
  }

  AskDeadlines deadlines{deps};
};

TEST(AskDeadlines, TheQueueIsTimedUntilTheFirstGrant) {
  Plan plan = plan_of(1);
  plan.deadlines.queue = minutes(3);
  DeadlineWorld world(plan);
  world.deadlines.begin_queue();
  const std::vector<SetDeadline> set = world.take<SetDeadline>();
  ASSERT_EQ(set.size(), 1U);
  EXPECT_EQ(set.front().at, world.turn.now + minutes(3));
  world.deadlines.granted(kFirstRole);
  EXPECT_EQ(world.take<ClearDeadline>().size(), 1U);
  world.deadlines.granted(kFirstRole);
  EXPECT_THAT(world.take<ClearDeadline>(), IsEmpty());
}

TEST(AskDeadlines, WithoutALimitTheQueueIsNotTimed) {
  DeadlineWorld world(plan_of(1));
  world.deadlines.begin_queue();
  EXPECT_THAT(world.take<SetDeadline>(), IsEmpty());
}

TEST(AskDeadlines, EachRefusalInARowWaitsLongerUntilAGrant) {
  Plan plan = plan_of(1);
  plan.roles.front().restart.backoff_low = {};
  plan.roles.front().restart.backoff_high = seconds(3);
  DeadlineWorld world(plan);
  // Up to a tenth of it is jitter.
  EXPECT_THAT(world.refused(), AllOf(Ge(seconds(1)), Le(milliseconds(1'100))))
      << "the cluster was asked only now";
  EXPECT_THAT(world.refused(), AllOf(Ge(seconds(2)), Le(milliseconds(2'200))));
  EXPECT_THAT(world.refused(), AllOf(Ge(seconds(3)), Le(milliseconds(3'300))));
  world.deadlines.granted(kFirstRole);
  EXPECT_THAT(world.refused(), Le(milliseconds(1'100)));
}

}  // namespace
}  // namespace muster::job
