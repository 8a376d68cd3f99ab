#include "cluster/folder_host_memory.h"

#include "testing/fake_loop.h"
#include "testing/memory_files.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

namespace muster::cluster {
namespace {

TEST(NewestLines, AreWhole) {
  EXPECT_EQ(newest_lines("one\ntwo\nthree\n", 100), "one\ntwo\nthree\n");
  EXPECT_EQ(newest_lines("one\ntwo\nthree\n", 10), "two\nthree\n");
  EXPECT_EQ(newest_lines("one\ntwo\nthree\n", 9), "three\n");
  EXPECT_EQ(newest_lines("one\ntwo\nthree\n", 5), "");
}

class HostMemoryFile : public ::testing::Test {
 protected:
  Status add(const std::string& line) {
    return *muster::testing::run_async(loop_, memory_.add(line));
  }
  std::string text() { return read_host_memory(files_, "/home/hosts.jsonl").value_or("an error"); }

  muster::testing::FakeLoop loop_;
  muster::testing::MemoryTree tree_;
  muster::testing::MemoryFiles files_{tree_};
  FolderHostMemory memory_{loop_, files_, "/home/hosts.jsonl"};
};

TEST_F(HostMemoryFile, KeepsLinesInOrder) {
  EXPECT_EQ(text(), "");
  ASSERT_TRUE(files_.make_folders("/home", 0755));
  ASSERT_TRUE(add("one\n"));
  ASSERT_TRUE(add("two\n"));
  EXPECT_EQ(text(), "one\ntwo\n");
}

TEST_F(HostMemoryFile, DropsTheOldestBeyondItsSize) {
  ASSERT_TRUE(files_.make_folders("/home", 0755));
  const std::string line = std::string(1023, 'x') + "\n";
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(add(line));
  }
  ASSERT_TRUE(add("last\n"));
  const std::string kept = text();
  EXPECT_LE(kept.size(), 2 * kHostMemoryKept + line.size());
  EXPECT_TRUE(kept.starts_with("xxx") && kept.ends_with("x\nlast\n"));
  EXPECT_EQ((kept.size() - 5) % line.size(), 0U);
}

}  // namespace
}  // namespace muster::cluster
