#include "agent/sampling/task_meter.h"

#include "agent/sampling/readings_test.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace muster::agent {
namespace {

using metrics::Builtin;
using std::chrono::milliseconds;
using std::chrono::seconds;

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
  EXPECT_FALSE(value_of(first, Builtin::ProcessOpenFiles));
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
  // When somebody else reaps a process, its part of the sums disappears.
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

}  // namespace
}  // namespace muster::agent
