#include "app/kept_output.h"

#include "testing/memory_files.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::app {
namespace {

constexpr job::AttemptId kFirst{.task = {.index = 3}, .number = 1};

class KeptOutputTest : public ::testing::Test {
 protected:
  KeptOutputTest() { EXPECT_TRUE(disk_.make_folders("/job/logs").has_value()); }

  void take(uint64_t offset, const std::string& bytes,
            wire::OutputStream stream = wire::OutputStream::Stdout) {
    kept_.take("worker", {.attempt = kFirst, .stream = stream, .offset = offset, .bytes = bytes});
  }
  std::string text(const std::string& name) { return disk_.read("/job/logs/" + name).value(); }

  testing::MemoryTree tree_;
  testing::MemoryFiles memory_{tree_};
  os::Files& disk_ = memory_;
  KeptOutput kept_{disk_, "/job/logs", {}, [] { return WallTime{}; }};
};

TEST_F(KeptOutputTest, FilesLieWhereLogsAreLookedFor) {
  take(0, "one\n");
  take(0, "oh\n", wire::OutputStream::Stderr);
  take(4, "two\n");
  EXPECT_EQ(text("worker-3.1.stdout"), "one\ntwo\n");
  EXPECT_EQ(text("worker-3.1.stderr"), "oh\n");
}

TEST_F(KeptOutputTest, PassesOverWhatItHas) {
  take(0, "one\ntwo\n");
  take(4, "two\n");
  take(4, "two\nthree\n");
  EXPECT_EQ(text("worker-3.1.stdout"), "one\ntwo\nthree\n");
}

TEST_F(KeptOutputTest, SaysWhatWasLeftOutInItsPlace) {
  take(0, "one\ntw");
  take(2006, "end\n");
  EXPECT_EQ(text("worker-3.1.stdout"),
            "one\ntw\n(2.0 KiB of output left out here: it came too fast; the log on the task's "
            "own host is complete)\nend\n");
}

}  // namespace
}  // namespace muster::app
