#include "metrics/recorder.h"

#include "metrics/history.h"
#include "metrics/prometheus.h"
#include "metrics/series_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace muster::metrics {
namespace {

constexpr int64_t kBegin = 1'700'000'400;  // A multiple of 600.
const Subject kWorker{.role = "worker", .index = 1, .attempt = 2};
const Metric kLoss{.name = "user.loss", .unit = "", .kind = Kind::Gauge};

std::vector<Series> read(const std::vector<Block>& blocks, Query query) {
  SeriesReader reader(std::move(query));
  for (const Block& block : blocks) {
    reader.add(encode(block));
  }
  return reader.take();
}

TEST(Recorder, ClosesWindowsWhenTheirTimeIsOver) {
  Recorder recorder;
  for (int64_t t = kBegin; t < kBegin + 25; ++t) {
    EXPECT_EQ(recorder.add(kWorker, Builtin::ContainerMemoryUsage, t, 100, t),
              Recorder::Taken::Yes);
  }
  EXPECT_TRUE(recorder.take_closed(kBegin + 6).empty());
  EXPECT_EQ(recorder.take_closed(kBegin + 7).size(), 1U);
  EXPECT_EQ(recorder.take_closed(kBegin + 16).size(), 1U);
  const std::vector<Block> rest = recorder.take_closed(kBegin + 25, true);
  ASSERT_EQ(rest.size(), 5U) << "three of seconds, one of tens, one of minutes";
  EXPECT_EQ(rest[0].start_s, kBegin + 10);
  EXPECT_EQ(rest[3].step_s, 10U);
  EXPECT_EQ(rest[4].step_s, 60U);
  EXPECT_TRUE(recorder.empty());
}

TEST(Recorder, AveragesGaugesAndKeepsTheLastOfCounters) {
  Recorder recorder;
  for (int64_t i = 0; i < 60; ++i) {
    (void)recorder.add(kWorker, Builtin::ContainerCpuUsage, kBegin + i, i < 30 ? 1 : 3, kBegin + i);
    (void)recorder.add(kWorker, Builtin::ContainerDiskRead, kBegin + i, static_cast<double>(i),
                       kBegin + i);
  }
  const std::vector<Block> blocks = recorder.take_closed(kBegin + 60, true);
  const auto minutes = read({blocks.back()}, {.step_s = 60});
  ASSERT_EQ(minutes.size(), 2U);
  EXPECT_EQ(minutes[0].metric.name, "container.cpu.usage");
  EXPECT_EQ(minutes[0].points, (std::vector<Point>{{kBegin, 2}}));
  EXPECT_EQ(minutes[1].points, (std::vector<Point>{{kBegin, 59}}));
}

TEST(Recorder, TakesWhatComesLateAndRefusesWhatIsTooLate) {
  Recorder recorder;
  const int64_t now = kBegin + 1000;
  EXPECT_EQ(recorder.add(kWorker, kLoss, now - 300, 0.5, now), Recorder::Taken::Yes);
  EXPECT_EQ(recorder.add(kWorker, kLoss, now - 601, 0.5, now), Recorder::Taken::WrongTime);
  EXPECT_EQ(recorder.add(kWorker, kLoss, now + 3, 0.5, now), Recorder::Taken::WrongTime);
  const auto series = read(recorder.take_closed(now), {});
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].points, (std::vector<Point>{{now - 300, 0.5}}));
}

TEST(Recorder, OwnMetricsMayBeNaNAndMustersMayNot) {
  Recorder recorder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(recorder.add(kWorker, kLoss, kBegin, nan, kBegin), Recorder::Taken::Yes);
  EXPECT_EQ(recorder.add(kWorker, Builtin::ContainerCpuUsage, kBegin, nan, kBegin),
            Recorder::Taken::NotFinite);
  const auto series = read(recorder.take_closed(kBegin, true), {.names = {"user."}});
  ASSERT_EQ(series.size(), 1U);
  EXPECT_TRUE(std::isnan(series[0].points[0].value));
}

TEST(Recorder, NamesWithoutEndAreRefused) {
  Recorder recorder;
  size_t refused = 0;
  for (size_t i = 0; i < Recorder::kOwnNamesMax + 7; ++i) {
    const Metric metric{.name = "user." + std::to_string(i), .unit = "", .kind = Kind::Gauge};
    refused += recorder.add(kWorker, metric, kBegin, 1, kBegin) == Recorder::Taken::TooMany ? 1 : 0;
  }
  EXPECT_EQ(refused, 7U);
}

TEST(Recorder, TasksWithoutEndMakeRoomForNewOnes) {
  Recorder recorder;
  const auto attempt = [](uint32_t number) {
    return Subject{.role = "worker", .index = number, .attempt = 1};
  };
  for (uint32_t i = 0; i < Recorder::kSubjectsKept; ++i) {
    ASSERT_EQ(recorder.add(attempt(i), kLoss, kBegin, 1, kBegin), Recorder::Taken::Yes);
  }
  EXPECT_EQ(recorder.add(attempt(999'999), kLoss, kBegin, 1, kBegin), Recorder::Taken::TooMany);
  (void)recorder.take_closed(kBegin, true);
  EXPECT_EQ(recorder.add(attempt(999'999), kLoss, kBegin, 1, kBegin), Recorder::Taken::Yes);
}

TEST(Recorder, TheNextMasterGoesOnInTheSameMinute) {
  Recorder first;
  for (int64_t i = 0; i < 30; ++i) {
    (void)first.add(kWorker, Builtin::ContainerCpuUsage, kBegin + i, 4, kBegin + i);
  }
  std::vector<Block> written = first.take_closed(kBegin + 32);
  ASSERT_EQ(written.size(), 6U) << "and then it died";
  Recorder second;
  for (const Block& block : written) {
    second.restore(block, 60);
  }
  for (int64_t i = 30; i < 60; ++i) {
    (void)second.add(kWorker, Builtin::ContainerCpuUsage, kBegin + i, 2, kBegin + i);
  }
  const auto minutes = read({second.take_closed(kBegin + 60, true).back()}, {.step_s = 60});
  ASSERT_EQ(minutes.size(), 1U);
  EXPECT_EQ(minutes[0].points, (std::vector<Point>{{kBegin, 3}}));
}

TEST(Recorder, LatestIsTheLastValueOfEachSeriesThatStillComes) {
  Recorder recorder;
  const Subject other{.role = "worker", .index = 0, .attempt = 1};
  (void)recorder.add(other, kLoss, kBegin, 9, kBegin);
  (void)recorder.add(kWorker, kLoss, kBegin + 18, 0.5, kBegin + 18);
  (void)recorder.add(kWorker, kLoss, kBegin + 19, 0.25, kBegin + 19);
  const Block latest = recorder.latest(kBegin + 20, 5);
  EXPECT_EQ(latest.subjects, std::vector<Subject>{kWorker});
  EXPECT_EQ(latest.columns[0].values, std::vector<double>{0.25});
  EXPECT_EQ(recorder.latest(kBegin + 20, 60).subjects.size(), 2U);
}

TEST(SeriesReader, SelectsTasksNamesAndTimes) {
  Recorder recorder;
  for (const char* role : {"worker", "ps"}) {
    for (uint32_t index = 0; index < 12; ++index) {
      const Subject task{.role = role, .index = index, .attempt = 1};
      (void)recorder.add(task, kLoss, kBegin, index, kBegin);
      (void)recorder.add(task, Builtin::ProcessThreads, kBegin + 1, 3, kBegin);
    }
  }
  const std::vector<Block> blocks = recorder.take_closed(kBegin, true);
  const auto all = read(blocks, {});
  EXPECT_EQ(all.size(), 48U);
  const auto one = read(blocks, {.tasks = {"worker:1"}, .names = {"user.loss"}});
  ASSERT_EQ(one.size(), 1U) << "not worker:10";
  EXPECT_EQ(one[0].points, (std::vector<Point>{{kBegin, 1}}));
  EXPECT_EQ(read(blocks, {.tasks = {"ps"}}).size(), 24U);
  EXPECT_EQ(read(blocks, {.from_s = kBegin + 1}).size(), 24U);
  EXPECT_EQ(read(blocks, {.until_s = kBegin + 1}).size(), 24U);
}

TEST(SeriesReader, CoarserStepsAreMadeOfFinerOnes) {
  Recorder recorder;
  for (int64_t i = 0; i < 20; ++i) {
    (void)recorder.add(kWorker, Builtin::ContainerCpuUsage, kBegin + i, static_cast<double>(i % 10),
                       kBegin + i);
  }
  const std::vector<Block> seconds = recorder.take_closed(kBegin + 22);
  const auto tens = read(seconds, {.step_s = 10});
  ASSERT_EQ(tens.size(), 1U);
  EXPECT_EQ(tens[0].points, (std::vector<Point>{{kBegin, 4.5}, {kBegin + 10, 4.5}}));
}

TEST(History, KeepsWithinItsBudget) {
  History history(64U << 10);
  std::mt19937_64 engine(1);
  for (int64_t i = 0; i < 200; ++i) {
    for (const uint32_t step : kSteps) {
      history.keep(kBegin + (i + 1) * 10 * step, step, std::string(1000, 'x'));
    }
  }
  EXPECT_LE(history.bytes(), 64U << 10);
  EXPECT_EQ(history.blocks(1, INT64_MIN).size(), 32U);
  EXPECT_EQ(history.blocks(1, kBegin + 1990).size(), 1U);
  EXPECT_TRUE(history.blocks(7, INT64_MIN).empty());
}

TEST(SeriesText, NamesEverySeries) {
  const std::vector<Series> series{
      {.subject = kWorker, .metric = kLoss, .points = {{kBegin, 0.5}, {kBegin + 1, NAN}}},
      {.subject = subject_of_host("n=1"),
       .metric = {.name = "user.a,\"b\"", .unit = "By", .kind = Kind::Counter},
       .points = {{kBegin, 3}}}};
  EXPECT_EQ(series_csv(series),
            "2023-11-14T22:20:00Z,worker:1,2,user.loss,,0.5\n"
            "2023-11-14T22:20:00Z,@n=1,0,\"user.a,\"\"b\"\"\",By,3\n"
            "2023-11-14T22:20:01Z,worker:1,2,user.loss,,NaN\n");
  EXPECT_EQ(series_json_lines({series.data(), 1}),
            "{\"time\":\"2023-11-14T22:20:00Z\",\"task\":\"worker:1\",\"attempt\":2,"
            "\"name\":\"user.loss\",\"unit\":\"\",\"value\":0.5}\n"
            "{\"time\":\"2023-11-14T22:20:01Z\",\"task\":\"worker:1\",\"attempt\":2,"
            "\"name\":\"user.loss\",\"unit\":\"\",\"value\":null}\n");
  EXPECT_EQ(series_json(kBegin, {series.data(), 1}),
            "{\"schema\":\"muster.metrics/1\",\"now\":1700000400,\"series\":[{\"task\":"
            "\"worker:1\",\"attempt\":2,\"name\":\"user.loss\",\"unit\":\"\",\"kind\":\"gauge\","
            "\"points\":[[1700000400,0.5],[1700000401,null]]}]}\n");
}

TEST(PrometheusText, HasOneLineForEachTask) {
  Recorder recorder;
  const Subject old{.role = "worker", .index = 1, .attempt = 1};
  (void)recorder.add(old, Builtin::ContainerDiskRead, kBegin, 1, kBegin);
  (void)recorder.add(kWorker, Builtin::ContainerDiskRead, kBegin, 1024, kBegin);
  (void)recorder.add(kWorker, kLoss, kBegin, INFINITY, kBegin);
  (void)recorder.add(subject_of_host("n\"1"), Builtin::SystemLoad, kBegin, 0.25, kBegin);
  const PrometheusContext context{.job = "j-1",
                                  .host_of = [](const Subject&) { return std::string("h1"); }};
  EXPECT_EQ(prometheus_text(context, recorder.latest(kBegin, 5)),
            "# HELP muster_job_system_cpu_load_average_1m the host's load average over a minute "
            "({thread})\n"
            "# TYPE muster_job_system_cpu_load_average_1m gauge\n"
            "muster_job_system_cpu_load_average_1m{job=\"j-1\",host=\"n\\\"1\"} 0.25\n"
            "# HELP muster_task_container_disk_io_read_total bytes read from disks (By)\n"
            "# TYPE muster_task_container_disk_io_read_total counter\n"
            "muster_task_container_disk_io_read_total{job=\"j-1\",role=\"worker\",index=\"1\","
            "host=\"h1\"} 1024\n"
            "# TYPE muster_task_user_loss gauge\n"
            "muster_task_user_loss{job=\"j-1\",role=\"worker\",index=\"1\",host=\"h1\"} +Inf\n");
}

TEST(Metric, NamesAreText) {
  EXPECT_TRUE(check_metric({.name = "user.Loss/train (smoothed)", .unit = "1"}).has_value());
  EXPECT_FALSE(check_metric({.name = "", .unit = ""}).has_value());
  EXPECT_FALSE(check_metric({.name = "user.\x1b[2J", .unit = ""}).has_value());
  EXPECT_FALSE(check_metric({.name = "user.\xFF", .unit = ""}).has_value());
  EXPECT_EQ(check_metric({.name = "user." + std::string(10'000, 'x'), .unit = ""}).error().message,
            "a metric's name must have 200 bytes at most: `user." + std::string(35, 'x') + "...`");
}

TEST(Metric, CoarseValuesHaveFourDigits) {
  EXPECT_EQ(coarse_value(1'234'567'890), 1'235'000'000);
  EXPECT_EQ(coarse_value(-0.123456), -0.1235);
  EXPECT_EQ(coarse_value(0), 0);
  EXPECT_TRUE(std::isnan(coarse_value(NAN)));
}

}  // namespace
}  // namespace muster::metrics
