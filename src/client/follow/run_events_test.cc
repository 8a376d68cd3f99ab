#include "client/follow/run_events.h"

#include "client/follow/console_files_test.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace muster::client {
namespace {

namespace json = boost::json;
using wire::OutputStream;

class RunEventsTest : public ::testing::Test {
 protected:
  RunEventsTest() { plan_.roles.push_back({.name = "worker", .tasks = 2, .tasks_min = 2}); }

  static StreamId stream_of(uint32_t index, OutputStream stream = OutputStream::Stdout) {
    return {{{job::RoleIndex{0}, index}, 1}, stream};
  }
  /// Returns what was printed, one object per line.
  std::vector<json::object> lines() {
    std::vector<json::object> all;
    const std::string text = screen_.out();
    EXPECT_TRUE(text.empty() || text.ends_with('\n'));
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      all.push_back(json::parse(text.substr(at, end - at)).as_object());
      at = end + 1;
    }
    return all;
  }
  std::vector<std::string> output_lines() {
    std::vector<std::string> all;
    for (const json::object& each : lines()) {
      EXPECT_EQ(each.at("event"), "output");
      all.emplace_back(each.at("line").as_string());
    }
    return all;
  }

  ConsoleFiles screen_;
  job::Plan plan_;
  WallTime now_{std::chrono::days(20'000)};
  RunEvents events_{screen_.console(), [this] { return now_; }};
};

TEST_F(RunEventsTest, SayWhatHappensWithItsTimeInOrder) {
  events_.submitted({.job_id = "digits-1", .application_id = "", .on = "local", .page = ""});
  now_ += std::chrono::milliseconds(1500);
  events_.phase("running");
  events_.told("a \"quoted\"\nsentence");
  events_.ended("{\"phase\":\"ended\"}\n\n");
  const std::vector<json::object> all = lines();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], (json::object{{"event", "submitted"},
                                  {"time", "2024-10-04T00:00:00.000Z"},
                                  {"schema", "muster.run/1"},
                                  {"job", "digits-1"},
                                  {"application_id", nullptr},
                                  {"on", "local"},
                                  {"page", nullptr}}));
  EXPECT_EQ(all[1].at("phase"), "running");
  EXPECT_EQ(all[1].at("time"), "2024-10-04T00:00:01.500Z");
  EXPECT_EQ(all[2].at("text"), "a \"quoted\"\nsentence");
  EXPECT_EQ(all[3].at("status").at("phase"), "ended");
}

TEST_F(RunEventsTest, EndWithoutAStatusThatIsNotKnown) {
  events_.ended("");
  EXPECT_EQ(lines().at(0).at("status"), json::value(nullptr));
}

TEST_F(RunEventsTest, PrintWholeLinesOfEachStream) {
  events_.output(plan_, stream_of(0), "be");
  events_.output(plan_, stream_of(1), "gone\n\n");
  events_.output(plan_, stream_of(0, OutputStream::Stderr), "trouble\n");
  events_.output(plan_, stream_of(0), "gin\nopen");
  const std::vector<json::object> all = lines();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].at("task"), "worker:1");
  EXPECT_EQ(all[0].at("line"), "gone");
  EXPECT_EQ(all[1].at("line"), "");
  EXPECT_EQ(all[2].at("stream"), "stderr");
  EXPECT_EQ(all[3].at("line"), "begin");
  EXPECT_EQ(all[3].at("stream"), "stdout");
  EXPECT_EQ(all[3].at("attempt"), 1);
}

TEST_F(RunEventsTest, PrintALineWithoutItsEndWhenNothingMoreComes) {
  events_.output(plan_, stream_of(0), "whole\n");
  events_.output(plan_, stream_of(1), "half");
  EXPECT_EQ(output_lines(), (std::vector<std::string>{"whole"}));
  events_.finish_output(plan_);
  events_.finish_output(plan_);
  EXPECT_EQ(output_lines(), (std::vector<std::string>{"whole", "half"}));
}

TEST_F(RunEventsTest, PrintALongLineInParts) {
  constexpr size_t kMax = 1U << 20;
  const std::string three_pieces(2 * kMax + 5, 'x');
  for (size_t at = 0; at < three_pieces.size(); at += 700'000) {
    events_.output(plan_, stream_of(0), three_pieces.substr(at, 700'000));
  }
  events_.output(plan_, stream_of(0), "\nnext\n");
  const std::vector<std::string> all = output_lines();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], std::string(kMax, 'x'));
  EXPECT_EQ(all[1], std::string(kMax, 'x'));
  EXPECT_EQ(all[2], "xxxxx");
  EXPECT_EQ(all[3], "next");
}

TEST_F(RunEventsTest, StayJsonWhateverATaskWrites) {
  events_.output(plan_, stream_of(0), std::string("nul \0, escape \x1b[2J, half \xc3\n", 27));
  events_.output(plan_, stream_of(0), "\n");
  EXPECT_EQ(output_lines().at(0), std::string("nul \0, escape \x1b[2J, half \xEF\xBF\xBD", 28));
}

}  // namespace
}  // namespace muster::client
