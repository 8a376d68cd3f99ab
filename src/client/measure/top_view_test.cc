#include "client/measure/top_view.h"

#include "client/show/job_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace muster::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TopTask task(uint32_t index, double cpu, double memory) {
  TopTask task;
  task.index = index;
  task.state = "active";
  task.host = "h1";
  task.attempt = 1;
  task.usage.cpu = cpu;
  task.usage.memory_bytes = memory;
  task.cpu_history = {0, cpu};
  return task;
}

std::vector<TopJob> one_job() {
  TopJob job{.id = "digits-x", .phase = "running", .roles = {}};
  job.roles.push_back({.name = "ps", .tasks = {task(0, 0.1, 1 << 20)}});
  job.roles.push_back({.name = "worker", .tasks = {task(0, 0.5, 3 << 20), task(1, 2, 2 << 20)}});
  return {job};
}

/// Returns how many columns UTF-8 text without wide characters takes.
size_t columns_of(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string text_of(const std::vector<TopLine>& lines) {
  std::string text;
  for (const TopLine& line : lines) {
    text += line.text + "\n";
  }
  return text;
}

std::vector<std::string> names(TopView& view) {
  std::vector<std::string> names;
  std::vector<TopLine> lines = view.screen(80, 24);
  lines.pop_back();  // The footer, which shows the filter.
  for (const TopLine& line : lines) {
    const size_t colon = line.text.find(':');
    const std::string name = line.text.substr(0, line.text.find(' ', 4));
    if (colon != std::string::npos && colon < 12) {
      names.push_back(name.substr(name.find_first_not_of(' ')));
    }
  }
  return names;
}

bool press(TopView& view, std::string_view text) {
  bool stays = true;
  for (const char c : text) {
    stays = view.press({.kind = TopKey::Kind::Text, .text = c});
  }
  return stays;
}

TEST(TopView, ShowsRolesWithTheirTasks) {
  TopView view({});
  view.show(one_job());
  const std::string text = text_of(view.screen(100, 24));
  EXPECT_THAT(text, HasSubstr("digits-x  running  3 tasks, 3 active"));
  EXPECT_THAT(text, HasSubstr("- worker (2)"));
  EXPECT_THAT(text, HasSubstr("2.50"));
  EXPECT_THAT(text, HasSubstr("worker:1"));
  EXPECT_THAT(text, HasSubstr("5M"));
  EXPECT_THAT(text, Not(HasSubstr("STEP")));
  EXPECT_THAT(text, Not(HasSubstr("GPU")));
}

TEST(TopView, KeepsToTheScreen) {
  for (const unsigned width : {1U, 5U, 20U, 33U, 80U, 200U}) {
    for (const unsigned height : {1U, 2U, 4U, 5U, 24U}) {
      TopView view({});
      std::vector<TopJob> jobs = one_job();
      jobs.front().roles.front().name = std::string(300, 'r');
      view.show(jobs);
      for (int i = 0; i < 3; ++i) {
        const std::vector<TopLine> lines = view.screen(width, height);
        EXPECT_LE(lines.size(), height);
        for (const TopLine& line : lines) {
          EXPECT_LE(columns_of(line.text), width) << width << "x" << height << line.text;
        }
        press(view, i == 0 ? "h" : "/");
      }
    }
  }
}

TEST(TopView, HasNameAndProcessorInTwentyColumns) {
  TopView view({});
  view.show(one_job());
  EXPECT_THAT(text_of(view.screen(20, 10)), HasSubstr("  worker:1      2.00"));
}

TEST(TopView, SortsTasksWithinTheirRole) {
  TopView view({});
  view.show(one_job());
  EXPECT_EQ(names(view), (std::vector<std::string>{"ps:0", "worker:0", "worker:1"}));
  press(view, "P");
  EXPECT_EQ(names(view), (std::vector<std::string>{"worker:1", "worker:0", "ps:0"}));
  press(view, "M");
  EXPECT_EQ(names(view), (std::vector<std::string>{"worker:0", "worker:1", "ps:0"}));
  press(view, "R");
  EXPECT_EQ(names(view).front(), "worker:1");
  press(view, "N");
  EXPECT_EQ(names(view).front(), "ps:0");
}

TEST(TopView, FoldsWhatIsMarked) {
  TopView view({});
  view.show(one_job());
  (void)view.screen(80, 24);
  view.press({.kind = TopKey::Kind::Down});  // ps:0
  press(view, " ");
  EXPECT_EQ(names(view), (std::vector<std::string>{"worker:0", "worker:1"}));
  EXPECT_THAT(text_of(view.screen(80, 24)), HasSubstr("+ ps (1)"));
  view.press({.kind = TopKey::Kind::Right});
  EXPECT_EQ(names(view).size(), 3U);
}

TEST(TopView, FoldsLargeRolesByItself) {
  std::vector<TopJob> jobs = one_job();
  for (uint32_t index = 2; index < 1000; ++index) {
    jobs.front().roles[1].tasks.push_back(task(index, 1, 1));
  }
  TopView view({});
  view.show(jobs);
  EXPECT_EQ(names(view), (std::vector<std::string>{"ps:0"}));
  view.press({.kind = TopKey::Kind::End});
  press(view, " ");
  view.press({.kind = TopKey::Kind::End});
  EXPECT_THAT(text_of(view.screen(80, 24)), HasSubstr("worker:999"));
  TopView printed({.sparklines = false, .unfolded = true});
  printed.show(jobs);
  EXPECT_EQ(printed.table(80).size(), 1U + 2U + 1001U);
}

TEST(TopView, FiltersByNameHostAndState) {
  TopView view({});
  view.show(one_job());
  press(view, "/WORKER:1");
  EXPECT_EQ(names(view), (std::vector<std::string>{"worker:1"}));
  EXPECT_THAT(text_of(view.screen(80, 24)), HasSubstr("filter: WORKER:1_"));
  view.press({.kind = TopKey::Kind::Enter});
  EXPECT_FALSE(press(view, "q"));
  view.press({.kind = TopKey::Kind::Escape});
  EXPECT_EQ(names(view).size(), 3U);
  press(view, "/q");
  EXPECT_TRUE(names(view).empty());
  view.press({.kind = TopKey::Kind::Erase});
  EXPECT_EQ(names(view).size(), 3U);
}

TEST(TopView, FoldsJobsWhereThereAreSeveral) {
  std::vector<TopJob> jobs = one_job();
  jobs.push_back(jobs.front());
  jobs.back().id = "other-y";
  TopView view({});
  view.show(jobs);
  EXPECT_THAT(text_of(view.screen(80, 24)), HasSubstr("2 jobs  6 tasks, 6 active"));
  (void)view.screen(80, 24);
  press(view, " ");
  EXPECT_THAT(text_of(view.screen(80, 24)), HasSubstr("+ digits-x"));
  EXPECT_EQ(names(view).size(), 3U);
}

TEST(TopView, ShowsStepsAndGpusWhereTheyAreKnown) {
  std::vector<TopJob> jobs = one_job();
  TopUsage& usage = jobs.front().roles[1].tasks[0].usage;
  usage.step = 120;
  usage.steps_max = 250000;
  usage.steps_per_second = 3.25;
  usage.gpu = 0.5;
  TopView view({});
  view.show(jobs);
  const std::string text = text_of(view.screen(120, 24));
  EXPECT_THAT(text, HasSubstr("120/250k"));
  EXPECT_THAT(text, HasSubstr("3.25"));
  EXPECT_THAT(text, HasSubstr("50%"));
}

TEST(TopView, OfSeveralGpusTheMeanCounts) {
  TopUsage usage;
  metrics::Metric metric = metrics::metric_of(metrics::Builtin::GpuUtilization);
  put_usage(usage, metric, 0.5);
  metric.name += ".3";
  put_usage(usage, metric, 0.9);
  EXPECT_EQ(usage.gpu, 0.5);
}

TEST(TopView, EscapesWhatOthersNamed) {
  std::vector<TopJob> jobs = one_job();
  jobs.front().roles[0].tasks[0].host = "\x1b[2Jh";
  TopView view({});
  view.show(jobs);
  EXPECT_THAT(text_of(view.screen(120, 24)), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace muster::client
