#include "cluster/log_files.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace muster::cluster {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class LogFiles : public ::testing::Test {
 protected:
  LogFiles() {
    char name[] = "/tmp/log-files-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~LogFiles() override { fs::remove_all(folder_); }

  void write(std::string_view name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  /// Reads everything in a stream that was written since that second of 1970.
  std::string since(int64_t second) {
    const auto streams = list_logs(*files_, folder_, {"worker"});
    EXPECT_EQ(streams->size(), 1U);
    LogCursor cursor(*files_, streams->front());
    cursor.skip_to(WallTime(seconds(second)));
    std::string text;
    for (LogRange piece = *cursor.read(); !piece.bytes.empty(); piece = *cursor.read()) {
      text += piece.bytes;
    }
    return text;
  }

  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  fs::path folder_;
};

TEST_F(LogFiles, SkipsWhatWasWrittenBefore) {
  write("worker-0.1.stdout", "one\ntwo\nthree\n");
  write("worker-0.1.stdout.times", "0 1000000 part\n4 2000000\n8 3000000\n");
  EXPECT_EQ(since(1), "one\ntwo\nthree\n");
  EXPECT_EQ(since(2), "two\nthree\n");
  EXPECT_EQ(since(3), "three\n");
  EXPECT_EQ(since(4), "");
}

TEST_F(LogFiles, SkipsAcrossPartsSomeOfWhichRotatedAway) {
  write("worker-0.1.stdout.1", "two\nthree\n");
  write("worker-0.1.stdout", "four\nfive\n");
  // The part "one\n" is gone, but its line is still in the index, as after an interrupted rotation.
  write("worker-0.1.stdout.times",
        "0 1000000 part\n4 2000000 part\n8 3000000\n14 4000000 part\n19 5000000\n");
  EXPECT_EQ(since(1), "two\nthree\nfour\nfive\n");
  EXPECT_EQ(since(3), "three\nfour\nfive\n");
  EXPECT_EQ(since(4), "four\nfive\n");
  EXPECT_EQ(since(5), "five\n");
}

TEST_F(LogFiles, PassesOverLinesThatAreNoIndex) {
  write("worker-0.1.stdout", "one\ntwo\n");
  write("worker-0.1.stdout.times", "0 1000000 part\ngarbage\n\n4 x\n4 2000000\n7");
  EXPECT_EQ(since(2), "two\n");
}

TEST_F(LogFiles, ReadsAStreamByOffsetsThatCountFromItsBeginning) {
  write("worker-0.1.stdout.1", "two\nthree\n");
  write("worker-0.1.stdout", "four\n");
  write("worker-0.1.stdout.times", "4 1000000 part\n14 2000000 part\n");
  const auto read = [&](uint64_t offset, uint64_t limit) {
    return *read_log_range(*files_, folder_ / "worker-0.1.stdout", offset, limit);
  };
  EXPECT_EQ(read(8, 100).bytes, "three\nfour\n");
  EXPECT_EQ(read(8, 3).bytes, "thr");
  EXPECT_EQ(read(0, 3).bytes, "two");
  EXPECT_EQ(read(0, 3).offset, 4U) << "what came before has rotated away";
  EXPECT_EQ(read(19, 100).bytes, "");
  EXPECT_EQ(read_log_range(*files_, folder_ / "worker-1.1.stdout", 3, 9)->bytes, "");
}

TEST_F(LogFiles, TellsWhenAByteWasWritten) {
  write("worker-0.1.stdout", "one\ntwo\nthree\n");
  write("worker-0.1.stdout.times", "0 1000000 part\n4 2000000\n8 1500000\n");
  const auto streams = list_logs(*files_, folder_, {"worker"});
  const LogTimes times = LogTimes::read(*files_, streams->front());
  EXPECT_EQ(times.at(0), WallTime(seconds(1)));
  EXPECT_EQ(times.at(3), WallTime(seconds(1)));
  EXPECT_EQ(times.at(4), WallTime(seconds(2)));
  EXPECT_EQ(times.at(9), WallTime(seconds(2))) << "a clock that was set back changes no order";
  EXPECT_EQ(LogTimes().at(0), std::nullopt);
}

}  // namespace
}  // namespace muster::cluster
