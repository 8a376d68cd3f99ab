#include "agent/sampling/sample_queue.h"

#include "agent/sampling/task_meter.h"
#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;
using metrics::Builtin;

constexpr job::AttemptId kAttempt{{job::RoleIndex(0), 1}, 2};

metrics::NamedReading reading(const std::string& name, double value) {
  return {.metric = {.name = name, .unit = "", .kind = metrics::Kind::Gauge}, .value = value};
}

TEST(SampleQueue, OfOneSecondTheLastValueCounts) {
  testing::FakeLoop loop;
  loop.advance(100s);
  SampleQueue queue(loop);
  EXPECT_TRUE(queue.add(kAttempt, reading("user.loss", 2), 0s));
  EXPECT_TRUE(queue.add(kAttempt, reading("user.loss", 1), 0s));
  EXPECT_TRUE(queue.add(kAttempt, reading("user.loss", 3), 5s));
  queue.measured(kAttempt, {{.metric = Builtin::ProcessThreads, .value = 4}});
  const std::vector<wire::Samples> taken = queue.take();
  ASSERT_EQ(taken.size(), 2U) << "two seconds";
  EXPECT_EQ(taken[0].age, 5s);
  EXPECT_EQ(taken[0].named[0].value, 3);
  EXPECT_EQ(taken[1].named[0].value, 1);
  EXPECT_EQ(taken[1].readings[0].value, 4);
  EXPECT_TRUE(queue.take().empty());
}

TEST(SampleQueue, RefusesNamesThatAreNoneOfAProgram) {
  testing::FakeLoop loop;
  SampleQueue queue(loop);
  EXPECT_FALSE(queue.add(kAttempt, reading("container.cpu.usage", 1), 0s));
  EXPECT_FALSE(queue.add(kAttempt, reading("user.\x1b", 1), 0s));
  EXPECT_FALSE(queue.add(kAttempt, reading("user." + std::string(10'000, 'x'), 1), 0s));
  EXPECT_FALSE(queue.add(kAttempt, reading("user.old", 1), 11min));
  for (size_t i = 0; i < SampleQueue::kNamesMax; ++i) {
    EXPECT_TRUE(queue.add(kAttempt, reading("user." + std::to_string(i), 1), 0s));
  }
  EXPECT_FALSE(queue.add(kAttempt, reading("user.more", 1), 0s));
  EXPECT_TRUE(queue.add(kAttempt, reading("user.0", 1), 0s));
}

TEST(SampleQueue, WithoutAMasterTheOldestMakeRoom) {
  testing::FakeLoop loop;
  SampleQueue queue(loop);
  for (size_t i = 0; i < SampleQueue::kMomentsMax + 10; ++i) {
    loop.advance(1s);
    queue.measured(kAttempt,
                   {{.metric = Builtin::ProcessThreads, .value = static_cast<double>(i)}});
  }
  size_t moments = 0;
  double first = -1;
  for (auto taken = queue.take(); !taken.empty(); taken = queue.take()) {
    first = moments == 0 ? taken[0].readings[0].value : first;
    moments += taken.size();
  }
  EXPECT_EQ(moments, SampleQueue::kMomentsMax);
  EXPECT_EQ(first, 10);
}

double value_of(const std::vector<metrics::Reading>& readings, Builtin metric) {
  const auto found = std::ranges::find(readings, metric, &metrics::Reading::metric);
  return found == readings.end() ? -1 : found->value;
}

TEST(TaskMeter, RatesComeOfTwoLooks) {
  TaskMeter meter;
  TaskRun::Use use{.memory_bytes = 100, .memory_peak_bytes = 120, .memory_limit_bytes = 200};
  use.print = {.cpu = 10s, .cpu_system = 2s, .threads = 3};
  const HostTime begin{1h};
  const auto first = meter.read(begin, use, std::nullopt);
  EXPECT_EQ(value_of(first, Builtin::ContainerCpuUsage), -1);
  EXPECT_EQ(value_of(first, Builtin::ContainerCpuTimeUser), 8);
  EXPECT_EQ(value_of(first, Builtin::ContainerMemoryLimit), 200);
  EXPECT_EQ(value_of(first, Builtin::ProcessOpenFiles), -1);
  use.print.cpu += 3s;
  const auto second = meter.read(begin + 2s, use, os::FileActivity{.read_bytes = 7});
  EXPECT_EQ(value_of(second, Builtin::ContainerCpuUsage), 1.5);
  EXPECT_EQ(value_of(second, Builtin::ContainerDiskRead), 7);
}

TEST(TaskMeter, CountersNeverFall) {
  TaskMeter meter;
  TaskRun::Use use;
  use.print = {.cpu = 10s, .faults = 100};
  const HostTime begin{1h};
  (void)meter.read(begin, use, std::nullopt);
  use.print = {.cpu = 4s, .faults = 40};  // A process ended, and somebody else reaped it.
  const auto fallen = meter.read(begin + 1s, use, std::nullopt);
  EXPECT_EQ(value_of(fallen, Builtin::ContainerCpuTimeUser), 10);
  EXPECT_EQ(value_of(fallen, Builtin::ContainerCpuUsage), 0);
  use.print = {.cpu = 5s, .faults = 41};
  const auto risen = meter.read(begin + 2s, use, std::nullopt);
  EXPECT_EQ(value_of(risen, Builtin::ContainerCpuTimeUser), 11);
  EXPECT_EQ(value_of(risen, Builtin::ContainerPageFaults), 101);
}

}  // namespace
}  // namespace muster::agent
