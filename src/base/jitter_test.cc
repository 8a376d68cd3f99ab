#include "base/jitter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace muster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Jitter, IsTheSameForTheSameSeed) {
  Jitter one(7);
  Jitter same(7);
  Jitter other(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const Duration pause = one.around(seconds(1), milliseconds(90));
    EXPECT_EQ(pause, same.around(seconds(1), milliseconds(90)));
    differs = differs || pause != other.around(seconds(1), milliseconds(90));
  }
  EXPECT_TRUE(differs);
}

TEST(Jitter, StaysWithinItsBoundsAndKeepsTheMean) {
  Jitter jitter(1);
  Duration sum{};
  constexpr int kTimes = 10000;
  for (int i = 0; i < kTimes; ++i) {
    const Duration pause = jitter.around(seconds(1), milliseconds(90));
    ASSERT_GE(pause, milliseconds(910));
    ASSERT_LE(pause, milliseconds(1090));
    sum += pause;
  }
  EXPECT_LT(std::chrono::abs(sum / kTimes - seconds(1)), milliseconds(2));
  EXPECT_EQ(jitter.around(seconds(1), {}), seconds(1));
}

/// Something that runs during half of each second is seen running about half of the time, after a
/// while. With even pauses it would be seen running always, or never.
TEST(Jitter, DoesNotFallInStepWithSeconds) {
  constexpr int kSeeds = 200;
  constexpr int kLooks = 600;
  double far_off = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Jitter jitter(seed);
    Duration now{};
    int runs = 0;
    for (int look = 0; look < kLooks; ++look) {
      now += jitter.around(seconds(1), milliseconds(90));
      runs += now % seconds(1) < milliseconds(500) ? 1 : 0;
    }
    EXPECT_GT(runs, 0) << "seed " << seed;
    EXPECT_LT(runs, kLooks) << "seed " << seed;
    far_off += std::abs(static_cast<double>(runs) / kLooks - 0.5) / kSeeds;
  }
  EXPECT_LT(far_off, 0.15);
}

}  // namespace
}  // namespace muster
