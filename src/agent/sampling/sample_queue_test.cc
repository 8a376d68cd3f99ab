#include "agent/sampling/sample_queue.h"

#include "agent/sampling/task_meter.h"
#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

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

TEST(SampleQueue, SecondsAreThoseOfTheWallClock) {
  testing::FakeLoop loop(WallTime(std::chrono::days(20'000)) + 700ms);
  SampleQueue queue(loop);
  EXPECT_TRUE(queue.add(kAttempt, reading("user.loss", 2), 600ms));
  queue.measured(kAttempt, {{.metric = Builtin::ProcessThreads, .value = 4}});
  loop.advance(400ms);
  queue.measured(kAttempt, {{.metric = Builtin::ProcessThreads, .value = 5}});
  const std::vector<wire::Samples> taken = queue.take();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].named.size(), 1U);
  EXPECT_EQ(taken[0].readings[0].value, 4);
  EXPECT_EQ(taken[1].readings[0].value, 5);
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

TEST(SampleQueue, CountsWhatAProgramSaysAndNotWhatTheAgentRepeats) {
  testing::FakeLoop loop;
  SampleQueue queue(loop);
  const auto add = [&](const std::string& name, double value) {
    EXPECT_TRUE(queue.add(kAttempt, reading(name, value), 0s));
    return queue.told(kAttempt);
  };
  EXPECT_EQ(add("user.step", 7), 1U);
  EXPECT_EQ(add("user.step", 7), 1U);
  EXPECT_EQ(add("user.step.rate", 0.5), 1U);
  EXPECT_EQ(add("user.step.rate", 0.4), 1U);
  EXPECT_EQ(add("user.step.max", 100), 1U);
  EXPECT_EQ(add("user.step", 8), 2U);
  EXPECT_EQ(add("user.loss", 1), 3U);
  EXPECT_EQ(add("user.loss", 1), 4U);
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

double value_of(const std::vector<metrics::NamedReading>& readings, std::string_view name) {
  const auto found = std::ranges::find_if(
      readings, [&](const metrics::NamedReading& one) { return one.metric.name == name; });
  return found == readings.end() ? -1 : found->value;
}

TEST(TaskMeter, SeveralGpusCountTogetherAndEachAlone) {
  TaskMeter meter;
  const std::vector<os::GpuReading> gpus = {{.index = 2,
                                             .uuid = "GPU-aa",
                                             .utilization = 0.9,
                                             .memory_used_bytes = 100,
                                             .memory_bytes = 400,
                                             .power_w = 200,
                                             .temperature_c = 60},
                                            {.index = 5,
                                             .uuid = "GPU-bb",
                                             .utilization = 0.1,
                                             .memory_used_bytes = 50,
                                             .memory_bytes = 400,
                                             .power_w = 55.5,
                                             .temperature_c = 70}};
  const TaskMeter::GpuUse use = meter.read_gpus(gpus);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuUtilization), 0.5);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuMemoryUsage), 150);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuMemoryLimit), 800);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuPower), 255.5);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuTemperature), 70);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuErrors), -1);
  EXPECT_EQ(value_of(use.named, "hw.gpu.utilization.2"), 0.9);
  EXPECT_EQ(value_of(use.named, "hw.gpu.memory.usage.5"), 50);
}

TEST(TaskMeter, OneGpuHasNoSeriesBesidesItsTasks) {
  TaskMeter meter;
  const TaskMeter::GpuUse use = meter.read_gpus({{.index = 3, .uuid = "", .utilization = 0.25}});
  EXPECT_EQ(value_of(use.readings, Builtin::GpuUtilization), 0.25);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuMemoryUsage), -1);
  EXPECT_TRUE(use.named.empty());
  EXPECT_TRUE(meter.read_gpus({}).readings.empty());
}

TEST(TaskMeter, ErrorsOfAGpuCountFromTheFirstLook) {
  TaskMeter meter;
  const auto errors = [&](uint64_t one, uint64_t other) {
    return value_of(meter
                        .read_gpus({{.index = 0, .uuid = "", .errors = one},
                                    {.index = 1, .uuid = "", .errors = other}})
                        .readings,
                    Builtin::GpuErrors);
  };
  EXPECT_EQ(errors(7, 3), 0);
  EXPECT_EQ(errors(8, 5), 3);
  EXPECT_EQ(errors(0, 5), 3) << "the driver was loaded again";
  EXPECT_EQ(errors(1, 5), 4);
}

}  // namespace
}  // namespace muster::agent
