#include "agent/output/output_log.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

class OutputLogs : public ::testing::Test {
 protected:
  OutputLogs() {
    char name[] = "/tmp/output-log-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~OutputLogs() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  OutputLog::Clock clock() {
    return [this] { return now_; };
  }

  WallTime now_{std::chrono::seconds(1'000'000'000)};
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  fs::path folder_;
};

TEST_F(OutputLogs, KeepsEveryByte) {
  OutputLog log(*files_, folder_ / "worker-0.1.stdout", {}, clock());
  const std::string binary("a\0\xff\r\n", 5);
  log.write(binary);
  log.write("b");
  EXPECT_EQ(content(folder_ / "worker-0.1.stdout"), binary + "b");
  EXPECT_EQ(log.size_bytes(), 6U);
  EXPECT_EQ(log.lost_bytes(), 0U);
}

TEST_F(OutputLogs, MakesTheFileOfASilentStream) {
  const OutputLog log(*files_, folder_ / "silent", {}, clock());
  EXPECT_TRUE(fs::exists(folder_ / "silent"));
}

TEST_F(OutputLogs, RotatesWithinItsTotal) {
  OutputLog log(*files_, folder_ / "out", {.bytes_max = 3 * 4096, .keep = 3}, clock());
  std::string all;
  for (int i = 0; i < 10; ++i) {
    const std::string chunk(3000, static_cast<char>('a' + i));
    all += chunk;
    log.write(chunk);
  }
  EXPECT_FALSE(fs::exists(folder_ / "out.3"));
  const std::string kept =
      content(folder_ / "out.2") + content(folder_ / "out.1") + content(folder_ / "out");
  EXPECT_EQ(kept, all.substr(all.size() - kept.size()));
  EXPECT_GT(kept.size(), 2U * 4096);
  EXPECT_LE(kept.size(), 3U * 4096);
}

TEST_F(OutputLogs, CutsALineThatIsLargerThanAPart) {
  OutputLog log(*files_, folder_ / "out", {.bytes_max = 2 * 4096, .keep = 2}, clock());
  log.write(std::string(100'000, 'x'));
  EXPECT_LE(fs::file_size(folder_ / "out"), 4096U);
  EXPECT_EQ(fs::file_size(folder_ / "out.1"), 4096U);
}

TEST_F(OutputLogs, RemembersTheLastWordsOnly) {
  OutputLog log(*files_, folder_ / "out", {}, clock());
  log.write(std::string(5 * OutputLog::kTailBytes, 'x') + "last words");
  EXPECT_EQ(log.tail().size(), OutputLog::kTailBytes);
  EXPECT_TRUE(log.tail().ends_with("last words"));
}

TEST_F(OutputLogs, CountsWhatTheDiskDoesNotTake) {
  OutputLog log(*files_, folder_ / "missing" / "out", {}, clock());
  log.write("hello");
  EXPECT_EQ(log.lost_bytes(), 5U);
  EXPECT_NE(log.trouble(), "");
  EXPECT_EQ(log.tail(), "hello");
  fs::create_directory(folder_ / "missing");
  log.write("again");
  EXPECT_EQ(log.lost_bytes(), 5U);
  EXPECT_EQ(content(folder_ / "missing" / "out"), "again");
}

TEST_F(OutputLogs, WritesIntoTheFileThatItHasOpened) {
  OutputLog log(*files_, folder_ / "out", {.bytes_max = 2 * 4096, .keep = 2}, clock());
  log.write("one ");
  fs::rename(folder_ / "out", folder_ / "aside");
  log.write("two");
  EXPECT_EQ(content(folder_ / "aside"), "one two");
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(OutputLogs, DatesItsBytesAtMostTenTimesASecond) {
  OutputLog log(*files_, folder_ / "out", {}, clock());
  EXPECT_FALSE(fs::exists(folder_ / "out.times"));
  log.write("12345");
  now_ += milliseconds(99);
  log.write("67");
  now_ += milliseconds(1);
  log.write("89");
  EXPECT_EQ(content(folder_ / "out.times"), "0 1000000000000000 part\n7 1000000000100000\n");
}

TEST_F(OutputLogs, DatesWhereTheAttemptTurnsFromItsOtherStreamByTheMillisecond) {
  OutputLog log(*files_, folder_ / "out", {}, clock());
  log.write("12345", true);
  now_ += milliseconds(1);
  log.write("67", true);
  now_ += milliseconds(1);
  log.write("89", false);
  log.write("ab", true);
  EXPECT_EQ(content(folder_ / "out.times"),
            "0 1000000000000000 part\n5 1000000000001000\n9 1000000000002000\n");
}

TEST_F(OutputLogs, DatesOnlyPartsThatAreStillThere) {
  OutputLog log(*files_, folder_ / "out", {.bytes_max = 2 * 4096, .keep = 2}, clock());
  for (int i = 0; i < 4; ++i) {
    log.write(std::string(4096, 'x'));
    now_ += seconds(1);
  }
  EXPECT_EQ(content(folder_ / "out.times"),
            "8192 1000000002000000 part\n12288 1000000003000000 part\n");
}

TEST_F(OutputLogs, KeepsItsIndexSmall) {
  OutputLog log(*files_, folder_ / "out", {}, clock());
  for (size_t i = 0; i < 3 * TimeIndex::kEntriesMax; ++i) {
    log.write("x\n");
    now_ += seconds(1);
  }
  const std::string index = content(folder_ / "out.times");
  EXPECT_LE(static_cast<size_t>(std::ranges::count(index, '\n')), TimeIndex::kEntriesMax);
  EXPECT_TRUE(index.starts_with("0 1000000000000000 part\n"));
  EXPECT_TRUE(index.ends_with("24574 1000012287000000\n")) << index.substr(index.size() - 60);
}

TEST_F(OutputLogs, CatchesUpWithItsIndexWhenTheDiskIsBack) {
  OutputLog log(*files_, folder_ / "out", {}, clock());
  fs::create_directory(folder_ / "out.times");
  log.write("a");
  now_ += seconds(1);
  fs::remove(folder_ / "out.times");
  log.write("b");
  EXPECT_EQ(content(folder_ / "out.times"), "0 1000000000000000 part\n1 1000000001000000\n");
}

}  // namespace
}  // namespace muster::agent
