#include "page/feed_logs.h"
#include "testing/fake_loop.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace muster::page {
namespace {

using namespace std::chrono_literals;

class FeedLogsTest : public ::testing::Test {
 protected:
  LogPiece read(std::optional<uint64_t> from = std::nullopt) {
    return testing::run_async(loop, logs.read(kLog, {.from = from})).value().value();
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

TEST_F(FeedLogsTest, ThePastMayComeAfterWhatWasOnItsWay) {
  (void)read();
  logs.take(kLog, 100, "new\n");
  logs.take(kLog, 90, "old\npast\n\nnew\n");
  EXPECT_EQ(growths, 2);
  const LogPiece piece = read();
  EXPECT_EQ(piece.from, 90U);
  EXPECT_EQ(piece.bytes, "old\npast\n\nnew\n");
  logs.take(kLog, 10, "far from it\n");
  EXPECT_EQ(read().from, 90U) << "no hole";
}

TEST_F(FeedLogsTest, AfterAHoleItBeginsAnew) {
  (void)read();
  logs.take(kLog, 0, "abc");
  logs.take(kLog, 50, "xyz");
  const LogPiece piece = read(3);
  EXPECT_EQ(piece.from, 50U);
  EXPECT_EQ(piece.bytes, "xyz");
  EXPECT_EQ(read(1000).bytes, "xyz");  // As after a change of masters.
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

}  // namespace
}  // namespace muster::page
