#include "agent/sampling/hindrance_meter.h"

#include "agent/sampling/readings_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace muster::agent {
namespace {

using metrics::Builtin;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr HostTime kStart{std::chrono::hours(1)};

os::Throttling throttled(uint64_t periods, uint64_t throttled, Duration memory) {
  return {.cpu = os::Throttling::Cpu{.periods = periods, .throttled = throttled},
          .memory = memory,
          .over_memory_high = periods / 100};
}

TEST(HindranceMeter, TellsWhatHeldItBackSinceTheLastLook) {
  HindranceMeter meter;
  os::Footprint print;
  print.worker_nice = 10;
  const auto first = meter.read(kStart, print, throttled(500, 400, seconds(9)), {});
  EXPECT_FALSE(value_of(first, Builtin::ContainerCpuThrottled)) << "one look tells no share";
  EXPECT_FALSE(value_of(first, Builtin::ContainerMemoryPressure));
  EXPECT_FALSE(value_of(first, Builtin::JvmCollectorTime));
  EXPECT_EQ(value_of(first, Builtin::ProcessNice), 10);
  const auto second =
      meter.read(kStart + seconds(2), print, throttled(520, 405, milliseconds(9'500)), seconds(3));
  EXPECT_EQ(value_of(second, Builtin::ContainerCpuThrottled), 0.25);
  EXPECT_EQ(value_of(second, Builtin::ContainerMemoryPressure), 0.25);
  EXPECT_EQ(value_of(second, Builtin::ContainerMemoryHigh), 5);
  EXPECT_EQ(value_of(second, Builtin::JvmCollectorTime), 3);
}

TEST(HindranceMeter, OfAnotherControlGroupOneLookTellsNothing) {
  HindranceMeter meter;
  (void)meter.read(kStart, {}, throttled(500, 400, {}), {});
  const auto other = meter.read(kStart + seconds(1), {}, throttled(10, 9, {}), {});
  EXPECT_FALSE(value_of(other, Builtin::ContainerCpuThrottled));
  const auto idle = meter.read(kStart + seconds(2), {}, throttled(10, 9, {}), {});
  EXPECT_EQ(value_of(idle, Builtin::ContainerCpuThrottled), 0);
  EXPECT_FALSE(value_of(idle, Builtin::ProcessNice)) << "it gives way to nobody";
  const auto hidden = meter.read(kStart + seconds(3), {}, {}, {});
  EXPECT_THAT(hidden, ::testing::SizeIs(1)) << "what was counted stays";
}

}  // namespace
}  // namespace muster::agent
