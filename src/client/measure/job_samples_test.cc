#include "client/measure/job_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

using namespace std::chrono_literals;
using metrics::Builtin;

constexpr int64_t kBegin = 1'764'000'000;

metrics::Series series_of(metrics::Metric metric, std::vector<metrics::Point> points,
                          uint32_t attempt = 1) {
  return {.subject = {.role = "worker", .index = 2, .attempt = attempt},
          .metric = std::move(metric),
          .points = std::move(points)};
}

metrics::Metric named(std::string name) {
  return {.name = std::move(name), .unit = "", .kind = metrics::Kind::Gauge};
}

struct SummedUp {
  explicit SummedUp(const std::vector<metrics::Series>& series, int64_t minutes_before_s = 0) {
    job::Plan plan;
    plan.roles.resize(1);
    plan.roles[0].name = "worker";
    sum_up_samples(series, minutes_before_s, plan, WallTime(std::chrono::seconds(kBegin)), uses,
                   signs);
  }
  account::AttemptUse& use(uint32_t attempt = 1) {
    return uses[{.task = {job::RoleIndex(0), 2}, .number = attempt}];
  }
  account::Uses uses;
  account::Signs signs;
};

/// One minute of points, a second apart.
template <class Value>
std::vector<metrics::Point> minute_of(Value value) {
  std::vector<metrics::Point> points;
  for (int64_t i = 0; i < 60; ++i) {
    points.push_back({kBegin + i, value(static_cast<double>(i))});
  }
  return points;
}

TEST(JobSamples, AreSummedUpByAttempt) {
  SummedUp sum(
      {series_of(metrics::metric_of(Builtin::GpuUtilization), {{kBegin, 0.2}, {kBegin + 1, 0.4}}),
       series_of(metrics::metric_of(Builtin::GpuUtilization), {{kBegin + 9, 1}}, 2),
       series_of(metrics::metric_of(Builtin::GpuMemoryUsage),
                 {{kBegin, 100}, {kBegin + 1, 300}, {kBegin + 2, 200}}),
       series_of(metrics::metric_of(Builtin::GpuMemoryLimit), {{kBegin, 1000}}),
       series_of(metrics::metric_of(Builtin::ContainerMemoryPeak), {{kBegin, 77}})});
  EXPECT_NEAR(sum.use().gpu.mean.value_or(0), 0.3, 1e-9);
  EXPECT_EQ(sum.use().gpu.memory_peak_bytes, 300U);
  EXPECT_EQ(sum.use().gpu.memory_limit_bytes, 1000U);
  EXPECT_EQ(sum.use().memory_peak_bytes, 77U);
  EXPECT_EQ(sum.use().cores.mean, std::nullopt);
  EXPECT_EQ(sum.use(2).gpu.mean, 1.0);
}

TEST(JobSamples, AMinuteWeighsAsMuchAsItsSeconds) {
  SummedUp sum({series_of(metrics::metric_of(Builtin::ContainerCpuUsage),
                          {{kBegin, 1}, {kBegin + 60, 4}, {kBegin + 61, 4}})},
               kBegin + 60);
  EXPECT_NEAR(sum.use().cores.mean.value_or(0), (60.0 + 8.0) / 62, 1e-9);
  EXPECT_EQ(sum.use().cores.peak, 4.0);
}

TEST(JobSamples, WhatIsUsedAtWorkCountsFromTheFirstStep) {
  const auto from_20 = [](double value) {
    return minute_of([value](double i) { return i < 20 ? 0.1 : value; });
  };
  SummedUp sum({series_of(named("user.step"), {{kBegin + 19, 1}}),
                series_of(metrics::metric_of(Builtin::ContainerCpuUsage), from_20(4)),
                series_of(metrics::metric_of(Builtin::ProcessRunning), from_20(5)),
                series_of(metrics::metric_of(Builtin::GpuMemoryUsage),
                          {{kBegin, 30}, {kBegin + 1, 700}, {kBegin + 2, 600}}),
                series_of(metrics::metric_of(Builtin::GpuUtilization), from_20(0.9))});
  EXPECT_NEAR(sum.use().cores.mean.value_or(0), (20 * 0.1 + 40 * 4) / 60, 1e-9);
  EXPECT_NEAR(sum.use().at_work.cores.value_or(0), 4, 1e-9);
  EXPECT_NEAR(sum.use().at_work.cores_wanted.value_or(0), 5, 1e-9);
  EXPECT_NEAR(sum.use().gpu.mean.value_or(0), (20 * 0.1 + 40 * 0.9) / 60, 1e-9);
  EXPECT_NEAR(sum.use().at_work.gpu.value_or(0), 0.9, 1e-9);
  EXPECT_EQ(sum.use().gpu.memory_first_bytes, 30U);
  EXPECT_EQ(sum.use().gpu.memory_peak_bytes, 700U);
}

TEST(JobSamples, WorkBeginsWithTheFirstOutputWhereNoStepIsKnown) {
  const auto gpu_after = [](std::optional<Time> output) {
    job::Plan plan;
    plan.roles.resize(1);
    plan.roles[0].name = "worker";
    const job::AttemptId attempt{.task = {job::RoleIndex(0), 2}, .number = 1};
    account::Uses uses;
    account::Signs signs;
    signs[attempt].first_output = output;
    const std::vector<metrics::Series> series = {
        series_of(metrics::metric_of(Builtin::GpuUtilization),
                  minute_of([](double i) { return i < 25 ? 0.0 : 1.0; }))};
    sum_up_samples(series, 0, plan, WallTime(std::chrono::seconds(kBegin)), uses, signs);
    return uses[attempt].at_work.gpu.value_or(-1);
  };
  EXPECT_NEAR(gpu_after(Time(25s)), 1, 1e-9);
  EXPECT_NEAR(gpu_after(Time(2s)), 35.0 / 46, 1e-9) << "a line of a library says nothing";
  EXPECT_NEAR(gpu_after(Time(59s)), 1, 1e-9) << "half is left at least";
  EXPECT_NEAR(gpu_after({}), 35.0 / 46, 1e-9);
}

TEST(JobSamples, OneBusySecondIsNoPeak) {
  std::vector<metrics::Point> points;
  for (int64_t i = 0; i < 20; ++i) {
    points.push_back({kBegin + i, i == 3 ? 11.0 : 1.0});
  }
  SummedUp sum({series_of(metrics::metric_of(Builtin::ContainerCpuUsage), points)});
  EXPECT_EQ(sum.use().cores.peak, 2.0);
}

TEST(JobSamples, TellOfStepsAndTheFirst) {
  SummedUp sum(
      {series_of(named("user.step"), {{kBegin + 12, 1}, {kBegin + 13, 5}}),
       series_of(named("user.step.rate"), {{kBegin, 0}, {kBegin + 1, 4}, {kBegin + 2, 4}})});
  EXPECT_EQ(sum.use().step, Duration(250ms));
  const account::AttemptSigns& sign = sum.signs.at({.task = {job::RoleIndex(0), 2}, .number = 1});
  EXPECT_EQ(sign.first_step, Time(12s + 500ms)) << "the middle of its second";
}

TEST(JobSamples, TellWhatIsWrittenAndWaitedForAfterTheFirstStep) {
  const auto written = [](double i) { return i < 20 ? 1e9 * i : 2e10 + 5e6 * (i - 20); };
  SummedUp sum({series_of(named("user.step"), {{kBegin + 19, 1}}),
                series_of(metrics::metric_of(Builtin::ContainerDiskWrite), minute_of(written)),
                series_of(metrics::metric_of(Builtin::ContainerDiskRead),
                          minute_of([](double i) { return i < 20 ? 3e6 * i : 6e7; })),
                series_of(metrics::metric_of(Builtin::ProcessDiskWaiting), minute_of([](double i) {
                            return i < 20 || std::fmod(i, 4) == 0 ? 0.0 : 1.0;
                          })),
                series_of(metrics::metric_of(Builtin::ContainerDiskAvailable),
                          minute_of([](double i) { return 1e11 - 6e6 * i; }))});
  EXPECT_NEAR(sum.use().disk.written_per_s.value_or(0), 5e6, 1e5);
  EXPECT_NEAR(sum.use().disk.read_per_s.value_or(-1), 0, 1);
  EXPECT_NEAR(sum.use().disk.waiting.value_or(0), 0.75, 0.01);
  EXPECT_EQ(sum.use().disk.left_bytes, 100'000'000'000U - 59 * 6'000'000U);
  const auto& growth = sum.use().growths.disk_bytes;
  ASSERT_TRUE(growth);
  EXPECT_NEAR((growth->to - growth->from) / std::chrono::duration<double>(growth->span).count(),
              6e6, 1e5);
}

TEST(JobSamples, TellWhatHoldsATaskBack) {
  const auto counts = [](double per_second) {
    return minute_of([per_second](double i) { return per_second * i; });
  };
  const auto is = [](double value) { return minute_of([value](double) { return value; }); };
  const std::vector<metrics::Series> series = {
      series_of(metrics::metric_of(Builtin::ContainerCpuUsage), is(0.5)),
      series_of(metrics::metric_of(Builtin::ContainerPageFaultsMajor), counts(300)),
      series_of(metrics::metric_of(Builtin::ContainerCpuThrottled), is(0.9)),
      series_of(metrics::metric_of(Builtin::ContainerMemoryPressure), is(0.6)),
      series_of(metrics::metric_of(Builtin::ContainerMemoryHigh), counts(7)),
      series_of(metrics::metric_of(Builtin::ProcessNice), is(19)),
      series_of(metrics::metric_of(Builtin::JvmCollectorTime), counts(0.4))};
  SummedUp sum(series);
  EXPECT_NEAR(sum.use().disk.faults_major_per_s.value_or(0), 300, 1);
  EXPECT_NEAR(sum.use().hindrances.throttled.value_or(0), 0.9, 1e-9);
  EXPECT_NEAR(sum.use().hindrances.memory_waiting.value_or(0), 0.6, 1e-9);
  EXPECT_NEAR(sum.use().hindrances.over_high_per_s.value_or(0), 7, 0.1);
  EXPECT_EQ(sum.use().hindrances.nice, 19);
  EXPECT_NEAR(sum.use().hindrances.collector_cores.value_or(0), 0.4, 0.01);
  const std::vector<std::string> asked = summed_metrics();
  for (const metrics::Series& each : series) {
    EXPECT_THAT(asked, ::testing::Contains(each.metric.name)) << "nobody would read it";
  }
}

TEST(JobSamples, TellWhatAMainThreadWaitsFor) {
  const auto is = [](double value) { return minute_of([value](double) { return value; }); };
  const std::vector<metrics::Series> series = {
      series_of(metrics::metric_of(Builtin::ProcessSleeping), is(0.5)),
      series_of(metrics::metric_of(Builtin::ProcessSocketWaiting), is(0.4)),
      series_of(metrics::metric_of(Builtin::ProcessNameWaiting), is(0.3)),
      series_of(metrics::metric_of(Builtin::ProcessChildWaiting), is(0.2)),
      series_of(metrics::metric_of(Builtin::PythonLockWaiting), is(6))};
  SummedUp sum(series);
  const account::MainWaits& waits = sum.use().waits;
  EXPECT_NEAR(waits.sleeping.value_or(0), 0.5, 1e-9);
  EXPECT_NEAR(waits.socket.value_or(0), 0.4, 1e-9);
  EXPECT_NEAR(waits.name_server.value_or(0), 0.3, 1e-9);
  EXPECT_NEAR(waits.children.value_or(0), 0.2, 1e-9);
  EXPECT_NEAR(waits.python_lock.value_or(0), 6, 1e-9);
  const std::vector<std::string> asked = summed_metrics();
  for (const metrics::Series& each : series) {
    EXPECT_THAT(asked, ::testing::Contains(each.metric.name)) << "nobody would read it";
  }
}

TEST(JobSamples, OfFewMomentsTellNoShareOfTime) {
  std::vector<metrics::Point> points = minute_of([](double) { return 1.0; });
  points.resize(19);
  SummedUp sum({series_of(named("user.step"), {{kBegin - 1, 1}}),
                series_of(metrics::metric_of(Builtin::ProcessDiskWaiting), points)});
  EXPECT_EQ(sum.use().disk.waiting, std::nullopt);
}

TEST(JobSamples, OfHostsAreTheUsualRates) {
  const auto host = [](Builtin id, std::vector<metrics::Point> points) {
    metrics::Series series = series_of(metrics::metric_of(id), std::move(points));
    series.subject = metrics::subject_of_host("h1");
    return series;
  };
  // Busy except for the first twenty seconds.
  const auto bytes = [](double i) { return i < 20 ? 0.0 : 1e8 * (i - 20); };
  const std::vector<metrics::Series> series = {
      host(Builtin::SystemNetworkReceive, minute_of(bytes)),
      host(Builtin::NetworkSpeed, minute_of([](double) { return 1.25e8; }))};
  const account::HostUses uses = host_uses(series);
  ASSERT_EQ(uses.size(), 1U);
  const account::HostUse& use = uses.at(job::HostName("h1"));
  EXPECT_NEAR(use.received_per_s.value_or(0), 1e8, 1);
  EXPECT_EQ(use.network_per_s, 1.25e8);
  EXPECT_EQ(use.sent_per_s, std::nullopt);
}

TEST(JobSamples, OfHostsAndUnknownRolesCountNothing) {
  metrics::Series host = series_of(metrics::metric_of(Builtin::ContainerCpuUsage), {{kBegin, 1}});
  host.subject = metrics::subject_of_host("h1");
  metrics::Series unknown = host;
  unknown.subject = {.role = "nobody", .index = 0, .attempt = 1};
  SummedUp sum({host, unknown});
  EXPECT_TRUE(sum.uses.empty());
}

}  // namespace
}  // namespace muster::client
