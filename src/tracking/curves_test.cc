#include "tracking/curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace muster::tracking {
namespace {

using metrics::Series;

Series series(std::string role, uint32_t index, std::string name,
              std::vector<metrics::Point> points, uint32_t attempt = 1) {
  return {.subject = {.role = std::move(role), .index = index, .attempt = attempt},
          .metric = {.name = std::move(name), .unit = "", .kind = metrics::Kind::Gauge},
          .points = std::move(points)};
}

TEST(Curves, HaveTheStepsThatWereTold) {
  Curves curves("chief:0");
  const std::vector<CurvePoint> points =
      curves.take({series("chief", 0, "user.loss", {{10, 0.5}, {12, 0.25}}),
                   series("chief", 0, "user.step", {{9, 100}, {12, 130}})});
  EXPECT_EQ(points, (std::vector<CurvePoint>{{"loss", 0.5, 10, 100}, {"loss", 0.25, 12, 130}}));
}

TEST(Curves, GoOnFromTheLastStepThatIsKnown) {
  Curves curves("worker:0");
  (void)curves.take({series("worker", 0, "user.step", {{9, 100}})});
  const std::vector<CurvePoint> points =
      curves.take({series("worker", 0, "user.loss", {{11, 0.5}})});
  EXPECT_EQ(points, (std::vector<CurvePoint>{{"loss", 0.5, 11, 100}}));
}

/// Values that come up to ten seconds late are reported, once each, and none waits for longer than
/// that plus the time between two calls.
TEST(Settled, IsWhatHasHadTenSecondsToCome) {
  constexpr int64_t kBegin = 1'000;
  constexpr int64_t kEach = 5;
  for (const int64_t step : {1, 10}) {
    int64_t told_until = kBegin - 10;
    for (int64_t now = kBegin; now < kBegin + 100; now += kEach) {
      const int64_t until = settled_until(now, static_cast<uint32_t>(step), false);
      ASSERT_GE(until, told_until);
      EXPECT_EQ(until % step, 0) << "a step is told as a whole";
      EXPECT_LE(until - 1 + 10, now - 1) << "second " << until - 1 << " has not had its time";
      EXPECT_GT(until, now - 10 - step) << "what is here is told";
      told_until = until;
    }
  }
}

TEST(Settled, IsEverythingOnceTheJobIsOver) {
  EXPECT_EQ(settled_until(1'003, 1, true), 1'004);
  EXPECT_EQ(settled_until(1'003, 60, true), 1'004);
}

TEST(Curves, OfOtherTasksAreCalledByThem) {
  Curves curves("worker:0");
  const std::vector<CurvePoint> points = curves.take(
      {series("worker", 0, "user.step.rate", {{1, 2}}),
       series("worker", 3, "user.train/loss", {{1, 3}}),
       series("worker", 3, "user.step.max", {{1, 3}}), series("@h1", 0, "system.cpu", {{1, 3}})});
  EXPECT_EQ(points, (std::vector<CurvePoint>{{"steps_per_second", 2, 1, 0},
                                             {"worker.3/train/loss", 3, 1, 0}}));
}

TEST(Curves, StepsThatAreNoneAreZero) {
  Curves curves("worker:0");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<CurvePoint> points = curves.take(
      {series("worker", 0, "user.loss", {{1, nan}, {2, 1}}),
       series("worker", 0, "user.step", {{1, nan}, {2, std::numeric_limits<double>::infinity()}})});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_TRUE(std::isnan(points[0].value));
  EXPECT_EQ(points[0].step, 0);
  EXPECT_EQ(points[1].step, 0);
}

TEST(Curves, NamesAreThoseThatMlflowTakes) {
  EXPECT_EQ(plain_key("train/loss"), "train/loss");
  EXPECT_EQ(plain_key("<b>loss</b> é"), "_b_loss_/b_ __");
  EXPECT_EQ(plain_key("../.././etc//x/"), "_/_/_/etc/x");
  EXPECT_EQ(plain_key("/absolute"), "absolute");
  EXPECT_EQ(plain_key("/"), "_");
  EXPECT_EQ(plain_key(std::string(10'000, 'x')).size(), 250U);
}

}  // namespace
}  // namespace muster::tracking
