#include "os/local_files.h"
#include "page/feed_logs.h"
#include "page/folder_logs.h"
#include "testing/fake_loop.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace muster::page {
namespace {

using namespace std::chrono_literals;

class FeedLogsTest : public ::testing::Test {
 protected:
  LogPiece read(std::optional<uint64_t> from = std::nullopt) {
    return testing::run_async(loop, logs.read(kLog, from)).value().value();
  }

  const LogName kLog{.role = "worker", .index = 1, .attempt = 1};
  testing::FakeLoop loop;
  std::vector<bool> followed;
  int growths = 0;
  FeedLogs logs{
      loop,
      {.follow = [this](bool on) { followed.push_back(on); }, .grown = [this] { ++growths; }}};
};

TEST_F(FeedLogsTest, KeepsOnlyWhatSomebodyReads) {
  logs.take(kLog, 0, "lost");
  EXPECT_EQ(read().bytes, "");
  loop.run_ready();
  EXPECT_EQ(followed, (std::vector{true}));
  logs.take(kLog, 100, "tail\n");
  EXPECT_EQ(growths, 1);
  const LogPiece first = read(0);
  EXPECT_EQ(first.from, 100U);
  EXPECT_EQ(first.bytes, "tail\n");
  EXPECT_EQ(read(first.next).bytes, "");
  logs.take(kLog, 102, "il\nmore\n");  // The last lines come again, with new ones.
  EXPECT_EQ(read(first.next).bytes, "more\n");
}

TEST_F(FeedLogsTest, AfterAHoleItBeginsAnew) {
  (void)read();
  logs.take(kLog, 0, "abc");
  logs.take(kLog, 50, "xyz");
  const LogPiece piece = read(3);
  EXPECT_EQ(piece.from, 50U);
  EXPECT_EQ(piece.bytes, "xyz");
  EXPECT_EQ(read(1000).bytes, "xyz");  // As after another master.
}

TEST_F(FeedLogsTest, KeepsTheLastBytes) {
  (void)read();
  logs.take(kLog, 0, std::string(kLogPieceMax, 'a'));
  logs.take(kLog, kLogPieceMax, "end");
  const LogPiece piece = read();
  EXPECT_EQ(piece.bytes.size(), kLogPieceMax);
  EXPECT_TRUE(piece.bytes.ends_with("end"));
}

TEST_F(FeedLogsTest, ForgetsWhatNobodyReadsAnyMore) {
  (void)read();
  loop.advance(50s);
  (void)read();
  loop.advance(50s);
  EXPECT_EQ(logs.kept(), 1U);
  loop.advance(2min);
  EXPECT_EQ(logs.kept(), 0U);
  EXPECT_EQ(followed, (std::vector{true, false}));
}

class FolderLogsTest : public ::testing::Test {
 protected:
  FolderLogsTest() { std::filesystem::create_directories(folder); }
  ~FolderLogsTest() override { std::filesystem::remove_all(folder); }
  Result<LogPiece> read(std::optional<uint64_t> from = std::nullopt) {
    return testing::run_async(loop, logs.read(kLog, from)).value();
  }
  void write(const std::string& text) {
    ASSERT_TRUE(files->write(folder / "worker-1.2.stderr", text).has_value());
  }

  const LogName kLog{.role = "worker", .index = 1, .attempt = 2, .is_err = true};
  std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("folder_logs." + std::to_string(getpid()));
  rt::IoLoop loop;
  std::unique_ptr<os::Files> files = os::make_local_files(&loop);
  int growths = 0;
  bool stops_when_grown = false;
  FolderLogs logs{loop, *files, folder, [this] {
                    ++growths;
                    if (stops_when_grown) {
                      loop.stop();
                    }
                  }};
};

TEST_F(FolderLogsTest, ReadsFromWhereOneIs) {
  EXPECT_EQ(read().error().code, Errc::NotFound);
  write("one\ntwo\n");
  EXPECT_EQ(read()->bytes, "one\ntwo\n");
  EXPECT_EQ(read(4)->bytes, "two\n");
  EXPECT_EQ(read(8)->bytes, "");
  EXPECT_EQ(read(8)->next, 8U);
  write("new\n");  // Rotated: shorter than before.
  EXPECT_EQ(read(8)->bytes, "new\n");
}

TEST_F(FolderLogsTest, ALongLogBeginsNearItsEnd) {
  write(std::string(kLogPieceMax, 'a') + "end");
  const auto piece = read();
  EXPECT_EQ(piece->from, 3U);
  EXPECT_TRUE(piece->bytes.ends_with("end"));
}

TEST_F(FolderLogsTest, TellsThatItGrew) {
  write("one\n");
  (void)read();
  growths = 0;
  stops_when_grown = true;
  write("one\ntwo\n");
  loop.run_until(loop.now() + 60s);
  EXPECT_GT(growths, 0);
}

}  // namespace
}  // namespace muster::page
