#include "agent/session/recording.h"

#include "testing/fake_loop.h"
#include "testing/memory_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

struct RecordingTest : ::testing::Test {
  RecordingTest() { EXPECT_TRUE(files.make_folders("/logs").has_value()); }
  std::unique_ptr<Recording> begin(uint64_t bytes_max = 1U << 20) {
    return *Recording::begin(files, loop,
                             {.path = "/logs/worker-0.1.terminal-1.cast",
                              .bytes_max = bytes_max,
                              .terminal = {.name = "xterm", .size = {.rows = 30, .columns = 90}},
                              .command = "bash -l",
                              .title = "worker:0, attempt 1"});
  }
  std::string text() { return *files.read("/logs/worker-0.1.terminal-1.cast"); }

  testing::FakeLoop loop;
  testing::MemoryTree tree;
  testing::MemoryFiles memory{tree};
  os::Files& files = memory;
};

TEST_F(RecordingTest, IsAnAsciicastThatOnlyItsOwnerReads) {
  const auto recording = begin();
  loop.advance(milliseconds(1500));
  EXPECT_TRUE(recording->output("\x1b[1mhi\r\n\"").has_value());
  EXPECT_TRUE(recording->resized({.rows = 40, .columns = 100}).has_value());
  EXPECT_EQ(text(),
            "{\"version\": 2, \"width\": 90, \"height\": 30, \"timestamp\": 1728000000, "
            "\"command\": \"bash -l\", \"title\": \"worker:0, attempt 1\", "
            "\"env\": {\"TERM\": \"xterm\"}}\n"
            "[1.500000, \"o\", \"\\u001b[1mhi\\r\\n\\\"\"]\n"
            "[1.500000, \"r\", \"100x40\"]\n");
  EXPECT_EQ(files.stat("/logs/worker-0.1.terminal-1.cast")->mode & 0777, 0600U);
}

TEST_F(RecordingTest, KeepsCharactersWhole) {
  const auto recording = begin();
  EXPECT_TRUE(recording->output("a\xe2\x82").has_value());
  EXPECT_TRUE(recording->output("\xac z\xf0\x9f").has_value());
  EXPECT_TRUE(recording->output("\x98\x80").has_value());
  EXPECT_THAT(text(), HasSubstr("\"a\"]"));
  EXPECT_THAT(text(), HasSubstr("\"\xe2\x82\xac z\"]"));
  EXPECT_THAT(text(), HasSubstr("\"\xf0\x9f\x98\x80\"]"));
  // Bytes that are not text become something that readers understand.
  EXPECT_TRUE(recording->output("\xff\xfe!").has_value());
  EXPECT_THAT(text(), HasSubstr("\xef\xbf\xbd!\"]"));
}

TEST_F(RecordingTest, IsNoLongerThanItMayBe) {
  const auto recording = begin(400);
  EXPECT_TRUE(recording->output("short").has_value());
  const std::string before = text();
  const Status full = recording->output(std::string(400, 'x'));
  ASSERT_FALSE(full.has_value());
  EXPECT_THAT(full.error().message, HasSubstr("recording.max"));
  EXPECT_EQ(text(), before);
}

}  // namespace
}  // namespace muster::agent
