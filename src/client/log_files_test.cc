#include "client/log_files.h"

#include "client/logs.h"
#include "os/local_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace muster::client {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class LogFiles : public testing::Test {
 protected:
  LogFiles() {
    char name[] = "/tmp/log-files-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~LogFiles() override { fs::remove_all(folder_); }

  void write(std::string_view name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  /// Reads all of a stream that was written since that second of 1970.
  std::string since(int64_t second) {
    const auto streams = list_logs(*files_, folder_, {"worker"});
    EXPECT_EQ(streams->size(), 1U);
    LogCursor cursor(*files_, streams->front());
    cursor.skip_to(WallTime(seconds(second)));
    std::string text;
    for (std::string piece = *cursor.read(); !piece.empty(); piece = *cursor.read()) {
      text += piece;
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
  // The part "one\n" is gone; its line is still in the index, as after a rotation that was cut off.
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

TEST(ParseSince, TakesDurationsAndTimes) {
  const WallTime now(seconds(1'000'000'000));
  EXPECT_EQ(*parse_since("10m", now), now - std::chrono::minutes(10));
  EXPECT_EQ(*parse_since("2001-09-09T01:46:40Z", now), now);
  EXPECT_EQ(*parse_since("2001-09-09T01:46:40", now), now);
  EXPECT_EQ(*parse_since("2001-09-09T01:46:40.0625000001Z", now),
            now + std::chrono::microseconds(62500));
  EXPECT_EQ(*parse_since("2001-09-09", now), now - std::chrono::seconds(6400));
  for (const char* wrong : {"yesterday", "2001-09-09T01:46:40Zulu", "2001-09-09T01:46:40+02:00"}) {
    EXPECT_EQ(parse_since(wrong, now).error().message,
              std::string("--since ") + wrong +
                  ": neither a duration such as 10m nor a time such as 2026-11-21T09:30:00Z");
  }
}

}  // namespace
}  // namespace muster::client
