#include "metrics/trend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace muster::metrics {
namespace {

std::vector<Point> points(int64_t seconds, const std::function<double(int64_t)>& value) {
  std::vector<Point> list;
  for (int64_t at = 0; at < seconds; ++at) {
    list.push_back({.time_s = 1'764'000'000 + at, .value = value(at)});
  }
  return list;
}

TEST(SteadyRise, IsOneThatGoesOn) {
  const auto rise =
      steady_rise(points(600, [](int64_t at) { return 100 + 2.0 * static_cast<double>(at); }));
  ASSERT_TRUE(rise);
  EXPECT_EQ(rise->span_s, 500);
  EXPECT_NEAR(rise->to - rise->from, 1000, 10);
}

TEST(SteadyRise, MayGoUpAndDownOnItsWay) {
  const auto rise = steady_rise(points(120, [](int64_t at) {
    return 10.0 * static_cast<double>(at) + (at % 7 == 0 ? 300.0 : 0.0);
  }));
  EXPECT_TRUE(rise);
}

TEST(SteadyRise, MayGrowFasterAndFaster) {
  EXPECT_TRUE(steady_rise(
      points(100, [](int64_t at) { return static_cast<double>(at) * static_cast<double>(at); })));
}

TEST(SteadyRise, IsNoneWhereSomethingFillsUp) {
  EXPECT_FALSE(steady_rise(points(
      600, [](int64_t at) { return 1000 * (1 - std::exp(-static_cast<double>(at) / 100)); })));
  EXPECT_FALSE(steady_rise(
      points(600, [](int64_t at) { return std::min(static_cast<double>(at), 300.0); })));
}

TEST(SteadyRise, IsNoneWhereNothingChangesOrItGoesUpAndDown) {
  EXPECT_FALSE(steady_rise(points(600, [](int64_t) { return 7.0; })));
  EXPECT_FALSE(
      steady_rise(points(600, [](int64_t at) { return std::sin(static_cast<double>(at) / 50); })));
  EXPECT_FALSE(steady_rise(points(600, [](int64_t at) { return -static_cast<double>(at); })));
  EXPECT_FALSE(steady_rise(points(600, [](int64_t at) { return at < 300 ? 1.0 : 100.0; })));
}

/// A real case: four more child processes each second, each of which makes the next look more
/// expensive, so that an agent looks less and less often.
TEST(SteadyRise, MayBeLookedAtLessAndLess) {
  const std::vector<Point> looks = {{1, 2},   {2, 6},    {3, 10},   {4, 14},   {5, 18},
                                    {6, 22},  {7, 26},   {9, 31},   {12, 45},  {16, 60},
                                    {21, 78}, {26, 100}, {32, 124}, {39, 153}, {48, 187}};
  const auto rise = steady_rise(looks);
  ASSERT_TRUE(rise);
  EXPECT_NEAR((rise->to - rise->from) / static_cast<double>(rise->span_s), 3.94, 0.1);
}

TEST(SteadyRise, NeedsEnoughToGoBy) {
  const auto rising = [](int64_t at) { return static_cast<double>(at); };
  EXPECT_FALSE(steady_rise({}));
  EXPECT_FALSE(steady_rise(points(25, rising)));
  std::vector<Point> few = points(600, rising);
  few = {few[0], few[100], few[599]};
  EXPECT_FALSE(steady_rise(few));
  EXPECT_FALSE(
      steady_rise(points(600, [](int64_t) { return std::numeric_limits<double>::quiet_NaN(); })));
}

}  // namespace
}  // namespace muster::metrics
