// What agents measure: taken, asked for, followed, written, and found again by the next master.
#include "master/watch/sample_book.h"

#include "master/master_world_test.h"
#include "metrics/block_file.h"
#include "metrics/retention.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace muster::master {
namespace {

using metrics::Builtin;

class SampleBookTest : public MasterWorld {
 protected:
  /// A worker's agent beats once a second for a while, reporting this much memory and a loss.
  void measure(const Master& master, uint32_t index, int seconds_long, double memory) {
    for (int i = 0; i < seconds_long; ++i) {
      agent_of(master, index)
          .send(beat({.attempt = worker(index),
                      .readings = {{Builtin::ContainerMemoryUsage, memory}},
                      .named = {loss(0.5)}}));
      loop.advance(seconds(1));
    }
  }
  static wire::Beat beat(wire::Samples samples) { return {.sequence = 1, .samples = {samples}}; }
  static metrics::NamedReading loss(double value) {
    return {.metric = {.name = "user.loss", .unit = "", .kind = metrics::Kind::Gauge},
            .value = value};
  }
  static std::vector<metrics::Series> read(const Master& master, metrics::Query query = {}) {
    return master.samples().read(std::move(query), 100'000).value();
  }
  /// Returns everything in the sample files.
  std::vector<metrics::Series> stored(metrics::Query query) {
    metrics::SeriesReader reader(std::move(query));
    for (const os::FolderEntry& entry :
         files.list("/metrics").value_or(std::vector<os::FolderEntry>())) {
      const std::string content = files.read(os::Path("/metrics") / entry.name, 1U << 20).value();
      metrics::BlockFile file(content);
      while (const auto block = file.next()) {
        reader.add(*block);
      }
      EXPECT_TRUE(file.damages().empty());
    }
    return reader.take();
  }
};

TEST_F(SampleBookTest, TellsWhatTasksUse) {
  run();
  measure(first->master, 0, 3, 1000);
  measure(first->master, 1, 2, 2000);
  const auto series = read(first->master, {.names = {"container.memory.usage"}});
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].subject, (metrics::Subject{"worker", 0, 1}));
  EXPECT_EQ(series[0].points.size(), 3U);
  EXPECT_EQ(series[1].points.back().value, 2000);
  EXPECT_EQ(first->master.samples().names().size(), 2U);
}

TEST_F(SampleBookTest, StampsTheSecondInWhichSomethingWasMeasured) {
  run();
  for (const auto phase : {200, 600, 900}) {
    loop.advance(seconds(10) + milliseconds(phase));
    for (const auto age : {0, 150, 550, 850, 1100}) {
      const int64_t then = std::chrono::floor<std::chrono::seconds>(
                               loop.wall_now().time_since_epoch() - milliseconds(age))
                               .count();
      agent_of(first->master, 0)
          .send(beat({.attempt = worker(0),
                      .age = milliseconds(age),
                      .readings = {{Builtin::ContainerMemoryUsage, static_cast<double>(then)}}}));
    }
    loop.advance(seconds(0));
  }
  const auto series = read(first->master, {.names = {"container.memory.usage"}});
  ASSERT_EQ(series.size(), 1U);
  for (const metrics::Point& point : series[0].points) {
    EXPECT_EQ(static_cast<double>(point.time_s), point.value);
  }
}

TEST_F(SampleBookTest, TrustsNoAgent) {
  run();
  testing::ScriptedAgent& liar = agent_of(first->master, 0);
  const std::vector<metrics::Reading> memory{{Builtin::ContainerMemoryUsage, 1}};
  liar.send(beat({.attempt = worker(1), .readings = memory}));  // About somebody else's attempt.
  liar.send(beat({.attempt = worker(0, 9), .readings = memory}));
  liar.send(beat({.attempt = worker(7), .readings = memory}));
  liar.send(beat({.attempt = worker(0), .age = std::chrono::hours(5), .readings = memory}));
  liar.send(beat({.attempt = worker(0), .readings = {{Builtin::ContainerMemoryUsage, NAN}}}));
  metrics::NamedReading taken = loss(1);
  taken.metric.name = "container.cpu.usage";
  liar.send(beat({.attempt = worker(0), .named = {taken}}));
  loop.advance(seconds(1));
  EXPECT_TRUE(read(first->master).empty());
  // A clock that is ahead shows as a negative age, which counts as now.
  liar.send(beat({.attempt = worker(0), .age = -std::chrono::hours(5), .readings = memory}));
  loop.advance(seconds(1));
  EXPECT_EQ(read(first->master).size(), 1U);
  EXPECT_EQ(running(first->master), 2) << "samples harm nobody";
}

TEST_F(SampleBookTest, OneAgentSpeaksForAHost) {
  run();
  const std::vector<metrics::Reading> load{{Builtin::SystemLoad, 1}};
  const std::vector<metrics::Reading> other{{Builtin::SystemLoad, 2}};
  agent_of(first->master, 0).send(beat({.readings = load}));
  agent_of(first->master, 1).send(beat({.readings = other}));
  loop.advance(seconds(6));
  agent_of(first->master, 1).send(beat({.readings = other}));
  loop.advance(seconds(1));
  const auto series = read(first->master);
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].subject.task(), "@h1");
  ASSERT_EQ(series[0].points.size(), 2U);
  EXPECT_EQ(series[0].points[0].value, 1);
  EXPECT_EQ(series[0].points[1].value, 2) << "when the first one has been silent";
}

TEST_F(SampleBookTest, FollowersGetTheLatestEachSecond) {
  run();
  auto top = client(*first, Peer::Kind::Viewer);
  top->send(wire::FollowMetrics{true});
  measure(first->master, 0, 3, 1000);
  loop.advance(seconds(1));
  const auto pushed = top->got<wire::MetricsPushed>();
  ASSERT_GE(pushed.size(), 4U) << "at once, then each second";
  const metrics::Block latest = metrics::decode(pushed.back().block).value();
  EXPECT_EQ(latest.times, 1U);
  EXPECT_EQ(latest.subjects, (std::vector<metrics::Subject>{{"worker", 0, 1}}));
  top->send(wire::FollowMetrics{false});
  loop.run_ready();
  const size_t before = top->got<wire::MetricsPushed>().size();
  measure(first->master, 0, 3, 1000);
  EXPECT_EQ(top->got<wire::MetricsPushed>().size(), before);
}

TEST_F(SampleBookTest, AnswersWithBlocks) {
  run();
  measure(first->master, 0, 30, 1000);
  auto viewer = client(*first, Peer::Kind::Viewer);
  for (const uint32_t step : {1U, 10U, 7U}) {
    viewer->send(wire::MetricsAsked{.step_s = step, .from_s = 0});
  }
  loop.advance(milliseconds(10));
  const auto answers = viewer->got<wire::MetricsAnswered>();
  ASSERT_EQ(answers.size(), 3U);
  metrics::SeriesReader reader({.names = {"user.loss"}});
  for (const std::string& block : answers[0].blocks) {
    reader.add(block);
  }
  EXPECT_EQ(reader.points(), 30U);
  EXPECT_FALSE(answers[1].blocks.empty());
  EXPECT_TRUE(answers[2].blocks.empty());
}

TEST_F(SampleBookTest, TheNextMasterGoesOn) {
  run();
  measure(first->master, 0, 100, 1000);
  const int64_t before = first->master.samples().now_s();
  kill(first);
  loop.shift_wall(-std::chrono::hours(1));  // On a host whose clock is behind.
  auto second = make("m2");
  ASSERT_TRUE(second->start().has_value());
  ASSERT_TRUE(loop.run_until([&] { return running(second->master) == 2; }, seconds(5)));
  loop.advance(seconds(1));
  EXPECT_GE(second->master.samples().now_s(), before - 10);
  measure(second->master, 0, 30, 3000);
  const auto series = read(second->master, {.names = {"container.memory.usage"}});
  ASSERT_EQ(series.size(), 1U);
  EXPECT_GE(series[0].points.size(), 120U) << "at most 10 s were lost";
  EXPECT_EQ(series[0].points.front().value, 1000);
  EXPECT_EQ(series[0].points.back().value, 3000);
  const auto tens = read(second->master, {.names = {"container.memory.usage"}, .step_s = 10});
  EXPECT_GE(tens.at(0).points.size(), 12U);
  const auto minutes = read(second->master, {.names = {"container.memory.usage"}, .step_s = 60});
  EXPECT_EQ(minutes.at(0).points.front().value, 1000) << "minutes before the death are there";
}

TEST_F(SampleBookTest, AtTheEndEverythingIsInTheFiles) {
  run();
  measure(first->master, 0, 3, 1000);
  succeed(first->master, 0);
  succeed(first->master, 1);
  ASSERT_TRUE(loop.run_until([&] { return first->end.has_value(); }, seconds(5)));
  EXPECT_EQ(stored({.names = {"user.loss"}}).at(0).points.size(), 3U);
  EXPECT_EQ(stored({.names = {"user.loss"}, .step_s = 60}).at(0).points.size(), 1U);
}

TEST_F(SampleBookTest, AFullDiskHoldsUpNobody) {
  run();
  ASSERT_TRUE(files.write("/metrics", "in the way", {}).has_value());
  measure(first->master, 0, 60, 1000);
  EXPECT_EQ(read(first->master, {.names = {"user.loss"}}).at(0).points.size(), 60U);
  succeed(first->master, 0);
  succeed(first->master, 1);
  ASSERT_TRUE(loop.run_until([&] { return first->end.has_value(); }, seconds(5)));
  EXPECT_EQ(first->end->outcome->result, job::JobResult::Succeeded);
}

TEST_F(SampleBookTest, AnAnswerHasAnEnd) {
  run();
  measure(first->master, 0, 10, 1000);
  const auto refused = first->master.samples().read({}, 19);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().blame, Blame::User);
  EXPECT_TRUE(first->master.samples().read({}, 20).has_value());
}

}  // namespace
}  // namespace muster::master
