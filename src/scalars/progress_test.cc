#include "scalars/progress.h"

#include <gtest/gtest.h>

namespace muster::scalars {
namespace {

HostTime at_ms(int64_t ms) { return HostTime(std::chrono::milliseconds(ms)); }

TEST(Progress, KnowsNothingBeforeTheFirstStep) {
  Progress progress;
  EXPECT_FALSE(progress.step().has_value());
  EXPECT_FALSE(progress.first_step_at().has_value());
  progress.reached(1, at_ms(500));
  EXPECT_EQ(progress.step(), 1);
  EXPECT_EQ(progress.first_step_at(), at_ms(500));
  EXPECT_FALSE(progress.steps_per_second(at_ms(500)).has_value());
}

TEST(Progress, MeasuresStepsPerSecond) {
  Progress progress;
  for (int64_t step = 0; step <= 10000; ++step) {
    progress.reached(step, at_ms(step * 10));
  }
  EXPECT_NEAR(progress.steps_per_second(at_ms(100000)).value_or(0), 100, 0.01);
  EXPECT_EQ(progress.first_step_at(), at_ms(0));
}

TEST(Progress, FollowsAChangeOfPace) {
  Progress progress;
  int64_t now = 0;
  for (int64_t step = 1; step <= 100; ++step) {
    progress.reached(step, at_ms(now += 100));
  }
  for (int64_t step = 101; step <= 200; ++step) {
    progress.reached(step, at_ms(now += 1000));
  }
  EXPECT_NEAR(progress.steps_per_second(at_ms(now)).value_or(0), 1, 0.01);
}

TEST(Progress, KnowsThePaceOfRareSteps) {
  Progress progress;
  progress.reached(1, at_ms(0));
  progress.reached(2, at_ms(600000));
  EXPECT_NEAR(progress.steps_per_second(at_ms(700000)).value_or(0), 1.0 / 600, 1e-6);
}

TEST(Progress, FallsWhileNothingIsTold) {
  Progress progress;
  for (int64_t step = 1; step <= 11; ++step) {
    progress.reached(step, at_ms(step * 1000));
  }
  EXPECT_NEAR(progress.steps_per_second(at_ms(12000)).value_or(0), 1, 1e-6);
  EXPECT_NEAR(progress.steps_per_second(at_ms(23000)).value_or(0), 0.5, 1e-6);
}

TEST(Progress, BeginsAnewWhereAProgramGoesBack) {
  Progress progress;
  progress.reached(100, at_ms(0));
  progress.reached(200, at_ms(1000));
  progress.reached(50, at_ms(2000));
  EXPECT_EQ(progress.step(), 50);
  EXPECT_FALSE(progress.steps_per_second(at_ms(2000)).has_value());
  progress.reached(60, at_ms(3000));
  EXPECT_NEAR(progress.steps_per_second(at_ms(3000)).value_or(0), 10, 1e-6);
  EXPECT_EQ(progress.first_step_at(), at_ms(0));
}

TEST(Progress, TakesTheLastWordOfHowManyThereWillBe) {
  Progress progress;
  EXPECT_FALSE(progress.max_steps().has_value());
  progress.expects(1000);
  EXPECT_EQ(progress.max_steps(), 1000);
  progress.expects(0);
  EXPECT_FALSE(progress.max_steps().has_value());
}

}  // namespace
}  // namespace muster::scalars
