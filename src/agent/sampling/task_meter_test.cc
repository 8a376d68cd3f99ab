#include "agent/sampling/task_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {
namespace {

using metrics::Builtin;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr HostTime kStart{std::chrono::hours(1)};

TaskRun::Use used(Duration cpu, Duration system) {
  TaskRun::Use use;
  use.memory_bytes = 100;
  use.memory_peak_bytes = 120;
  use.print.cpu = cpu;
  use.print.cpu_system = system;
  use.print.faults = 40;
  use.print.faults_major = 4;
  use.print.threads = 3;
  return use;
}

std::optional<double> value_of(const std::vector<metrics::Reading>& readings, Builtin metric) {
  for (const metrics::Reading& each : readings) {
    if (each.metric == metric) {
      return each.value;
    }
  }
  return std::nullopt;
}

TEST(TaskMeter, ReadsCountersAndMemory) {
  TaskMeter meter;
  const auto first = meter.read(kStart, used(seconds(5), seconds(2)), {});
  EXPECT_EQ(value_of(first, Builtin::ContainerCpuTimeUser), 3);
  EXPECT_EQ(value_of(first, Builtin::ContainerCpuTimeSystem), 2);
  EXPECT_EQ(value_of(first, Builtin::ContainerMemoryUsage), 100);
  EXPECT_EQ(value_of(first, Builtin::ContainerMemoryPeak), 120);
  EXPECT_EQ(value_of(first, Builtin::ContainerPageFaults), 40);
  EXPECT_EQ(value_of(first, Builtin::ContainerPageFaultsMajor), 4);
  EXPECT_EQ(value_of(first, Builtin::ProcessThreads), 3);
  EXPECT_FALSE(value_of(first, Builtin::ContainerCpuUsage)) << "one look tells no share";
  EXPECT_FALSE(value_of(first, Builtin::ContainerMemoryLimit)) << "there is none";
  EXPECT_FALSE(value_of(first, Builtin::ContainerDiskRead));
}

TEST(TaskMeter, TellsTheShareOfTheProcessorsSinceTheLastLook) {
  TaskMeter meter;
  (void)meter.read(kStart, used(seconds(5), seconds(2)), {});
  const auto second =
      meter.read(kStart + seconds(2), used(milliseconds(8'005), milliseconds(2'500)), {});
  EXPECT_EQ(value_of(second, Builtin::ContainerCpuUsage), 1.503);
  EXPECT_EQ(value_of(second, Builtin::ContainerCpuTimeUser), 5.51);
  const auto again = meter.read(kStart + seconds(2), used(seconds(9), seconds(3)), {});
  EXPECT_FALSE(value_of(again, Builtin::ContainerCpuUsage)) << "no time has passed";
}

TEST(TaskMeter, WhatItGivesNeverFalls) {
  TaskMeter meter;
  const os::FileActivity much{.read_bytes = 1000, .written_bytes = 500, .open_files = 9};
  const os::FileActivity less{.read_bytes = 100, .written_bytes = 600, .open_files = 4};
  (void)meter.read(kStart, used(seconds(5), seconds(2)), much);
  // A process that somebody else reaped takes its part of the sums away.
  const auto fewer = meter.read(kStart + seconds(1), used(seconds(1), seconds(1)), less);
  EXPECT_EQ(value_of(fewer, Builtin::ContainerCpuTimeUser), 3);
  EXPECT_EQ(value_of(fewer, Builtin::ContainerCpuTimeSystem), 2);
  EXPECT_EQ(value_of(fewer, Builtin::ContainerCpuUsage), 0);
  EXPECT_EQ(value_of(fewer, Builtin::ContainerDiskRead), 1000);
  EXPECT_EQ(value_of(fewer, Builtin::ContainerDiskWrite), 600);
  EXPECT_EQ(value_of(fewer, Builtin::ProcessOpenFiles), 4);
  const auto more = meter.read(kStart + seconds(2), used(seconds(2), seconds(1)), less);
  EXPECT_EQ(value_of(more, Builtin::ContainerCpuTimeUser), 4);
}

TEST(TaskMeter, TellsTheLimitWhereThereIsOne) {
  TaskMeter meter;
  TaskRun::Use use = used({}, {});
  use.memory_limit_bytes = 1;
  EXPECT_EQ(value_of(meter.read(kStart, use, {}), Builtin::ContainerMemoryLimit), 1);
}

os::Throttling throttled(uint64_t periods, uint64_t throttled, Duration memory) {
  return {.cpu = os::Throttling::Cpu{.periods = periods, .throttled = throttled},
          .memory = memory,
          .over_memory_high = periods / 100};
}

TEST(TaskMeter, TellsWhatHeldItBackSinceTheLastLook) {
  TaskMeter meter;
  os::Footprint print;
  print.worker_nice = 10;
  const auto first = meter.read_hindrances(kStart, print, throttled(500, 400, seconds(9)), {});
  EXPECT_FALSE(value_of(first, Builtin::ContainerCpuThrottled)) << "one look tells no share";
  EXPECT_FALSE(value_of(first, Builtin::ContainerMemoryPressure));
  EXPECT_FALSE(value_of(first, Builtin::JvmCollectorTime));
  EXPECT_EQ(value_of(first, Builtin::ProcessNice), 10);
  const auto second = meter.read_hindrances(kStart + seconds(2), print,
                                            throttled(520, 405, milliseconds(9'500)), seconds(3));
  EXPECT_EQ(value_of(second, Builtin::ContainerCpuThrottled), 0.25);
  EXPECT_EQ(value_of(second, Builtin::ContainerMemoryPressure), 0.25);
  EXPECT_EQ(value_of(second, Builtin::ContainerMemoryHigh), 5);
  EXPECT_EQ(value_of(second, Builtin::JvmCollectorTime), 3);
}

TEST(TaskMeter, TellsWhatKeepsItFromItsWork) {
  TaskMeter meter;
  const auto one = meter.read_waits({.for_socket = true, .for_name = true, .for_python_lock = 3.5});
  EXPECT_EQ(value_of(one, Builtin::ProcessSleeping), 0);
  EXPECT_EQ(value_of(one, Builtin::ProcessSocketWaiting), 1);
  EXPECT_EQ(value_of(one, Builtin::ProcessNameWaiting), 1);
  EXPECT_EQ(value_of(one, Builtin::ProcessChildWaiting), 0);
  EXPECT_EQ(value_of(one, Builtin::PythonLockWaiting), 3.5);
  const auto other = meter.read_waits({.for_time = true});
  EXPECT_EQ(value_of(other, Builtin::ProcessSleeping), 1);
  EXPECT_FALSE(value_of(other, Builtin::PythonLockWaiting)) << "it is not known";
}

TEST(TaskMeter, TellsThatItWaitsForItsChildrenWhileTheyBringSomething) {
  TaskMeter meter;
  const auto waits_for = [&](uint64_t sleeps) {
    return value_of(meter.read_waits({.for_children = true, .sleeps = sleeps}),
                    Builtin::ProcessChildWaiting);
  };
  EXPECT_EQ(waits_for(7), 0) << "one look tells nothing";
  EXPECT_EQ(waits_for(7), 0) << "a launcher, which waits for their end";
  EXPECT_EQ(waits_for(9), 1);
  EXPECT_EQ(waits_for(9), 1) << "they may be slow";
  for (int look = 0; look < 10; ++look) {
    (void)waits_for(9);
  }
  EXPECT_EQ(waits_for(9), 0) << "nothing comes any more";
  EXPECT_EQ(value_of(meter.read_waits({}), Builtin::ProcessChildWaiting), 0);
}

TEST(TaskMeter, OfAnotherControlGroupOneLookTellsNothing) {
  TaskMeter meter;
  (void)meter.read_hindrances(kStart, {}, throttled(500, 400, {}), {});
  const auto other = meter.read_hindrances(kStart + seconds(1), {}, throttled(10, 9, {}), {});
  EXPECT_FALSE(value_of(other, Builtin::ContainerCpuThrottled));
  const auto idle = meter.read_hindrances(kStart + seconds(2), {}, throttled(10, 9, {}), {});
  EXPECT_EQ(value_of(idle, Builtin::ContainerCpuThrottled), 0);
  EXPECT_FALSE(value_of(idle, Builtin::ProcessNice)) << "it gives way to nobody";
  const auto hidden = meter.read_hindrances(kStart + seconds(3), {}, {}, {});
  EXPECT_THAT(hidden, ::testing::SizeIs(1)) << "what was counted stays";
}

os::GpuReading gpu(uint32_t index, double utilization, uint64_t errors) {
  return {.index = index,
          .utilization = utilization,
          .memory_used_bytes = 10 * (index + 1),
          .memory_bytes = 100,
          .power_w = 50.5,
          .temperature_c = 40 + index,
          .errors = errors};
}

std::vector<std::string> names_of(const TaskMeter::GpuUse& use) {
  std::vector<std::string> names;
  for (const metrics::NamedReading& each : use.named) {
    names.push_back(each.metric.name + "=" + std::to_string(static_cast<int>(each.value * 10)));
  }
  return names;
}

TEST(TaskMeter, JoinsWhatSeveralGpusTell) {
  TaskMeter meter;
  const TaskMeter::GpuUse use = meter.read_gpus({gpu(2, 0.5, 0), gpu(3, 1, 0)});
  EXPECT_EQ(value_of(use.readings, Builtin::GpuUtilization), 0.75);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuMemoryUsage), 70);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuMemoryLimit), 200);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuPower), 101);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuTemperature), 43);
  EXPECT_THAT(names_of(use), ElementsAre("hw.gpu.utilization.2=5", "hw.gpu.memory.usage.2=300",
                                         "hw.gpu.utilization.3=10", "hw.gpu.memory.usage.3=400"));
}

TEST(TaskMeter, OfOneGpuNothingIsNamedTwice) {
  TaskMeter meter;
  const TaskMeter::GpuUse use = meter.read_gpus({gpu(0, 0.25, 0)});
  EXPECT_EQ(value_of(use.readings, Builtin::GpuUtilization), 0.25);
  EXPECT_THAT(use.named, IsEmpty());
}

TEST(TaskMeter, WhatADriverDoesNotTellIsMissing) {
  TaskMeter meter;
  EXPECT_THAT(meter.read_gpus({os::GpuReading{.index = 0}}).readings, IsEmpty());
  // A mean is of those that tell it.
  const TaskMeter::GpuUse use = meter.read_gpus({os::GpuReading{.index = 0}, gpu(1, 0.5, 0)});
  EXPECT_EQ(value_of(use.readings, Builtin::GpuUtilization), 0.5);
  EXPECT_EQ(use.named.size(), 2U);
}

TEST(TaskMeter, CountsErrorsFromItsFirstLook) {
  TaskMeter meter;
  const auto errors = [&](uint64_t first, uint64_t second) {
    return value_of(meter.read_gpus({gpu(0, 0, first), gpu(1, 0, second)}).readings,
                    Builtin::GpuErrors);
  };
  EXPECT_EQ(errors(7, 1), 0);
  EXPECT_EQ(errors(9, 1), 2);
  EXPECT_EQ(errors(9, 4), 5);
  EXPECT_EQ(errors(0, 4), 5) << "a driver that is loaded again counts from 0";
  EXPECT_EQ(errors(1, 4), 6);
  EXPECT_FALSE(
      value_of(meter.read_gpus({os::GpuReading{.index = 0}}).readings, Builtin::GpuErrors));
}

}  // namespace
}  // namespace muster::agent
