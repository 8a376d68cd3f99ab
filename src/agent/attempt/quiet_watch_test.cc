#include "agent/attempt/quiet_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <tuple>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// An attempt and the watch that observes it.
class QuietWatchOf : public ::testing::Test {
 protected:
  wire::Pause look_at(Duration later) { return watch_.look(now_ += later, signs_); }
  Duration look(Duration later) { return look_at(later).now; }

  QuietWatch watch_;
  HostTime now_{};
  LifeSigns signs_{.cpu = seconds(5), .output_bytes = 100, .moved_bytes = 1 << 20};
};

TEST_F(QuietWatchOf, MeasuresHowLongNothingHappens) {
  EXPECT_EQ(look({}), Duration::zero());
  for (int second = 1; second < 1000; ++second) {
    EXPECT_EQ(look(seconds(1)), seconds(second));
  }
}

TEST_F(QuietWatchOf, TakesOutputReportsWorkAndFilesAsLife) {
  EXPECT_EQ(look({}), Duration::zero());
  EXPECT_EQ(look(minutes(9)), minutes(9));
  ++signs_.output_bytes;
  EXPECT_EQ(look(minutes(9)), Duration::zero());
  EXPECT_EQ(look(minutes(9)), minutes(9));
  signs_.cpu += seconds(30);
  EXPECT_EQ(look(minutes(9)), Duration::zero());
  EXPECT_EQ(look(minutes(9)), minutes(9));
  signs_.moved_bytes += 10 << 20;
  EXPECT_EQ(look(minutes(9)), Duration::zero());
  EXPECT_EQ(look(minutes(9)), minutes(9));
  ++signs_.told;
  EXPECT_EQ(look(minutes(9)), Duration::zero());
}

TEST_F(QuietWatchOf, RemembersTheLongestPauseAfterWhichItWentOn) {
  EXPECT_EQ(look_at({}).longest, Duration::zero());
  EXPECT_EQ(look_at(minutes(7)).longest, Duration::zero());
  ++signs_.output_bytes;
  EXPECT_EQ(look_at(minutes(1)).longest, minutes(8));
  ++signs_.output_bytes;
  EXPECT_EQ(look_at(minutes(2)).longest, minutes(8));
  EXPECT_EQ(look_at(minutes(20)).longest, minutes(8));
}

TEST_F(QuietWatchOf, TakesAChildThatHasEndedAsLife) {
  EXPECT_EQ(look({}), Duration::zero());
  EXPECT_EQ(look(seconds(9)), seconds(9));
  signs_.cpu -= seconds(1);
  EXPECT_EQ(look(seconds(1)), Duration::zero());
}

TEST_F(QuietWatchOf, DoesNotTakeHeartbeatsForWork) {
  EXPECT_EQ(look({}), Duration::zero());
  for (int second = 1; second < 30 * 60; ++second) {
    signs_.cpu += milliseconds(2);
    signs_.moved_bytes += 100;
    EXPECT_EQ(look(seconds(1)), seconds(second));
  }
}

TEST_F(QuietWatchOf, SeesACheckpointThatIsWrittenSlowly) {
  EXPECT_EQ(look({}), Duration::zero());
  Duration quiet{};
  for (int second = 1; second < 10 * 60; ++second) {
    signs_.moved_bytes += 1 << 20;
    quiet = std::max(quiet, look(seconds(1)));
  }
  EXPECT_EQ(quiet, Duration::zero());
}

// What `while ! test -e ready; do sleep 0.5; done` uses, and a loop that asks with curl.
TEST_F(QuietWatchOf, DoesNotTakeAShellThatAsksAgainForWork) {
  for (const auto& [bytes, faults, cpu] :
       {std::tuple(14'000, 170, milliseconds(3)), std::tuple(35'000, 430, milliseconds(9)),
        std::tuple(47'000, 640, milliseconds(20))}) {
    ++signs_.output_bytes;
    EXPECT_EQ(look({}), Duration::zero());
    for (int second = 1; second < 30 * 60; ++second) {
      signs_.cpu += cpu;
      signs_.moved_bytes += static_cast<uint64_t>(bytes);
      signs_.faults += static_cast<uint64_t>(faults);
      ASSERT_EQ(look(seconds(1)), seconds(second));
    }
  }
}

TEST_F(QuietWatchOf, ForgivesASumThatFallsForAMomentWhenAChildEnds) {
  EXPECT_EQ(look({}), Duration::zero());
  signs_.moved_bytes -= 5000;
  signs_.cpu -= milliseconds(2);
  EXPECT_EQ(look(seconds(9)), seconds(9));
}

TEST_F(QuietWatchOf, TakesABusyGpuForLife) {
  EXPECT_EQ(look({}), Duration::zero());
  signs_.gpu_busy = true;
  EXPECT_EQ(look(minutes(9)), Duration::zero());
  signs_.gpu_busy = false;
  EXPECT_EQ(look(minutes(9)), minutes(9));
}

}  // namespace
}  // namespace muster::agent
