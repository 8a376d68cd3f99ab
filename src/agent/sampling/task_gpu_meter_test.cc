#include "agent/sampling/task_gpu_meter.h"

#include "agent/sampling/readings_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace muster::agent {
namespace {

using metrics::Builtin;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

os::GpuReading gpu(uint32_t index, double utilization, uint64_t errors) {
  return {.index = index,
          .utilization = utilization,
          .memory_used_bytes = 10 * (index + 1),
          .memory_bytes = 100,
          .power_w = 50.5,
          .temperature_c = 40 + index,
          .errors = errors};
}

std::vector<std::string> names_of(const TaskGpuMeter::Use& use) {
  std::vector<std::string> names;
  for (const metrics::NamedReading& each : use.named) {
    names.push_back(each.metric.name + "=" + std::to_string(static_cast<int>(each.value * 10)));
  }
  return names;
}

TEST(TaskGpuMeter, JoinsWhatSeveralGpusTell) {
  TaskGpuMeter meter;
  const TaskGpuMeter::Use use = meter.read({gpu(2, 0.5, 0), gpu(3, 1, 0)});
  EXPECT_EQ(value_of(use.readings, Builtin::GpuUtilization), 0.75);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuMemoryUsage), 70);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuMemoryLimit), 200);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuPower), 101);
  EXPECT_EQ(value_of(use.readings, Builtin::GpuTemperature), 43);
  EXPECT_THAT(names_of(use), ElementsAre("hw.gpu.utilization.2=5", "hw.gpu.memory.usage.2=300",
                                         "hw.gpu.utilization.3=10", "hw.gpu.memory.usage.3=400"));
}

TEST(TaskGpuMeter, OfOneGpuNothingIsNamedTwice) {
  TaskGpuMeter meter;
  const TaskGpuMeter::Use use = meter.read({gpu(0, 0.25, 0)});
  EXPECT_EQ(value_of(use.readings, Builtin::GpuUtilization), 0.25);
  EXPECT_THAT(use.named, IsEmpty());
}

TEST(TaskGpuMeter, WhatADriverDoesNotTellIsMissing) {
  TaskGpuMeter meter;
  EXPECT_THAT(meter.read({}).readings, IsEmpty());
  EXPECT_THAT(meter.read({os::GpuReading{.index = 0}}).readings, IsEmpty());
  // A mean covers only the GPUs that report the value.
  const TaskGpuMeter::Use use = meter.read({os::GpuReading{.index = 0}, gpu(1, 0.5, 0)});
  EXPECT_EQ(value_of(use.readings, Builtin::GpuUtilization), 0.5);
  EXPECT_EQ(use.named.size(), 2U);
}

TEST(TaskGpuMeter, CountsErrorsFromItsFirstLook) {
  TaskGpuMeter meter;
  const auto errors = [&](uint64_t first, uint64_t second) {
    return value_of(meter.read({gpu(0, 0, first), gpu(1, 0, second)}).readings, Builtin::GpuErrors);
  };
  EXPECT_EQ(errors(7, 1), 0);
  EXPECT_EQ(errors(9, 1), 2);
  EXPECT_EQ(errors(9, 4), 5);
  EXPECT_EQ(errors(0, 4), 5) << "a driver that is loaded again counts from 0";
  EXPECT_EQ(errors(1, 4), 6);
  EXPECT_FALSE(value_of(meter.read({os::GpuReading{.index = 0}}).readings, Builtin::GpuErrors));
}

}  // namespace
}  // namespace muster::agent
