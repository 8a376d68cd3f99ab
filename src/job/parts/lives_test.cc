#include "job/parts/lives.h"

#include "job/parts/parts_test.h"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

TEST(Lives, CountsWhatItChanges) {
  Ground ground(plan_of(3));
  ground.run(first_role_task(0), "c1");
  ground.place(first_role_task(1), "c2");
  const Tally running = ground.lives.tally(kFirstRole);
  EXPECT_EQ(running.active, 2U);
  EXPECT_EQ(running.started, 1U);
  ground.lives.end(first_role_task(0), Exit{.exit_code = 0}, TaskState::Succeeded);
  const Tally ended = ground.lives.tally(kFirstRole);
  EXPECT_EQ(ended.active, 1U);
  EXPECT_EQ(ended.started, 0U);
  EXPECT_EQ(ended.ended(), 1U);
  EXPECT_EQ(ground.lives.containers_open(), 2U);
  EXPECT_TRUE(ground.lives.tallies_hold());
}

TEST(Lives, AwaitsAStartUntilItRunsOrIsStopped) {
  Ground ground(plan_of(2));
  for (const uint32_t index : {0U, 1U}) {
    ground.place(first_role_task(index), "c" + std::to_string(index));
    ground.lives.join(first_role_task(index), {});
    ground.lives.tell_to_start(first_role_task(index), Generation(1));
  }
  EXPECT_EQ(ground.lives.starts_awaited(), 2U);
  ground.lives.run(first_role_task(0), 7);
  EXPECT_TRUE(ground.state.chronicle.steps().empty());
  ground.lives.tell_to_stop(first_role_task(1));
  EXPECT_EQ(ground.lives.starts_awaited(), 0U);
  EXPECT_TRUE(ground.lives.tallies_hold());
}

TEST(Lives, CountsAStartOnceWhenItsGenerationIsRenewed) {
  Ground ground(plan_of(1));
  ground.place(first_role_task(0), "c1");
  ground.lives.join(first_role_task(0), {});
  ground.lives.tell_to_start(first_role_task(0), Generation(1));
  ground.lives.tell_to_start(first_role_task(0), Generation(2));
  EXPECT_EQ(ground.lives.starts_awaited(), 1U);
  EXPECT_EQ(ground.lives.live(first_role_task(0))->generation, Generation(2));
}

TEST(Lives, ForgetsTheEndpointsOfAnEndedAttempt) {
  Ground ground(plan_of(1));
  ground.run(first_role_task(0), "c1");
  ground.lives.publish({{first_role_task(0), 1}, "tensorboard", "http://old"});
  ground.lives.publish({{first_role_task(0), 1}, "tensorboard", "http://new"});
  ASSERT_EQ(ground.state.endpoints.size(), 1U);
  EXPECT_EQ(ground.state.endpoints.front().url, "http://new");
  ground.lives.end(first_role_task(0), std::nullopt, TaskState::Waiting);
  EXPECT_TRUE(ground.state.endpoints.empty());
}

using LivesDeathTest = ::testing::Test;

TEST(LivesDeathTest, RefusesAChangeThatNoTableHas) {
  Ground ground(plan_of(1));
  EXPECT_DEATH(ground.lives.move(first_role_task(0), TaskState::Succeeded), "stands in its table");
}

}  // namespace
}  // namespace muster::job
