#include "agent/output/time_index.h"

#include "testing/memory_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace muster::agent {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

WallTime at(Duration since) { return WallTime{std::chrono::hours(24) + since}; }

class TimeIndexTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string text() { return files.read("/times", 1U << 20).value_or(""); }
  [[nodiscard]] std::string offsets() {
    std::string found;
    const std::string all = text();
    for (size_t line = 0; line < all.size(); line = all.find('\n', line) + 1) {
      found += all.substr(line, all.find(' ', line) - line) + " ";
    }
    return found;
  }

  testing::MemoryTree tree;
  testing::MemoryFiles files{tree};
  TimeIndex index{files, "/times"};
};

TEST_F(TimeIndexTest, NotesEachTenthOfASecond) {
  index.note(0, at(milliseconds(0)), false);
  index.note(10, at(milliseconds(99)), false);
  index.note(20, at(milliseconds(100)), false);
  EXPECT_EQ(text(), "0 86400000000 part\n20 86400100000\n");
}

TEST_F(TimeIndexTest, NotesATurnFromTheOtherStreamMoreFinely) {
  index.note(0, at(milliseconds(0)), false);
  index.note(10, at(microseconds(999)), true);
  index.note(20, at(milliseconds(1)), true);
  EXPECT_EQ(offsets(), "0 20 ");
}

TEST_F(TimeIndexTest, NotesAClockThatWasSetBack) {
  index.note(0, at(milliseconds(50)), false);
  index.note(10, at(milliseconds(49)), false);
  EXPECT_EQ(offsets(), "0 10 ");
}

TEST_F(TimeIndexTest, ForgetsThePartsThatRotatedAway) {
  index.note(0, at(milliseconds(0)), false);
  index.note(50, at(milliseconds(200)), false);
  index.begin_part(100, at(milliseconds(300)), 2);
  index.note(150, at(milliseconds(500)), false);
  EXPECT_EQ(offsets(), "0 50 100 150 ");
  index.begin_part(200, at(milliseconds(600)), 2);
  EXPECT_EQ(offsets(), "100 150 200 ");
  EXPECT_EQ(std::ranges::count(text(), 'p'), 2);
  index.begin_part(300, at(milliseconds(700)), 1);
  EXPECT_EQ(offsets(), "300 ");
}

TEST_F(TimeIndexTest, WritesAgainWhatTheDiskDidNotTake) {
  bool full = false;
  files.trouble = [&](const os::Path&, testing::MemoryFiles::Access access) -> Status {
    return full && access == testing::MemoryFiles::Access::Write
               ? Status(cluster_error("full", Errc::OutOfSpace))
               : Status();
  };
  index.note(0, at(milliseconds(0)), false);
  full = true;
  index.note(10, at(milliseconds(200)), false);
  index.note(20, at(milliseconds(400)), false);
  full = false;
  index.note(30, at(milliseconds(600)), false);
  EXPECT_EQ(offsets(), "0 10 20 30 ");
}

TEST_F(TimeIndexTest, GetsCoarserInItsOlderHalf) {
  for (uint64_t i = 0; i <= TimeIndex::kEntriesMax; ++i) {
    index.note(i, at(milliseconds(100 * i)), false);
  }
  const std::string found = offsets();
  EXPECT_TRUE(found.starts_with("0 2 4 6 8 ")) << found.substr(0, 40);
  EXPECT_TRUE(found.ends_with("4093 4094 4095 4096 "));
  EXPECT_EQ(std::ranges::count(found, ' '), 3073);
}

}  // namespace
}  // namespace muster::agent
