#include "agent/output/output_feed.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::agent {
namespace {

constexpr job::AttemptId kAttempt{{job::RoleIndex{0}, 0}, 1};
constexpr auto kOut = wire::OutputStream::Stdout;

class Feed : public ::testing::Test {
 protected:
  std::vector<wire::Output> sent_;
  size_t queued_ = 0;
  OutputFeed feed_{{.send = [this](wire::Output piece) { sent_.push_back(std::move(piece)); },
                    .queued_bytes = [this] { return queued_; }}};
  HostTime now_{std::chrono::seconds(100)};
};

TEST_F(Feed, SendsNothingUnlessSomebodyFollows) {
  feed_.offer(now_, kAttempt, kOut, 0, "hello");
  EXPECT_TRUE(sent_.empty());
}

TEST_F(Feed, SendsPiecesWithTheirOffsets) {
  feed_.follow(true);
  feed_.offer(now_, kAttempt, kOut, 7, "hello");
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_EQ(sent_[0], (wire::Output{kAttempt, kOut, 7, 0, "hello"}));
}

TEST_F(Feed, SendsMuchInPieces) {
  feed_.follow(true);
  std::string much(2 * OutputFeed::kPieceBytesMax, 'a');
  much += "end";
  feed_.offer(now_, kAttempt, kOut, 7, much);
  std::string came;
  for (const wire::Output& piece : sent_) {
    EXPECT_EQ(piece.offset, 7 + came.size());
    EXPECT_LE(piece.bytes.size(), OutputFeed::kPieceBytesMax);
    came += piece.bytes;
  }
  EXPECT_EQ(came, much);
}

TEST_F(Feed, DropsWhatASlowLineDoesNotTakeAndSaysSo) {
  feed_.follow(true);
  queued_ = OutputFeed::kQueuedBytesMax;
  feed_.offer(now_, kAttempt, kOut, 0, "lost!");
  EXPECT_TRUE(sent_.empty());
  queued_ = 0;
  feed_.offer(now_, kAttempt, kOut, 5, "seen");
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_EQ(sent_[0], (wire::Output{kAttempt, kOut, 5, 5, "seen"}));
}

TEST_F(Feed, TellsThatAPieceAfterALossBeginsALine) {
  feed_.follow(true);
  queued_ = OutputFeed::kQueuedBytesMax;
  feed_.offer(now_, kAttempt, kOut, 0, "lost\n");
  queued_ = 0;
  feed_.offer(now_, kAttempt, kOut, 5, "the end\n");
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_EQ(sent_[0], (wire::Output{kAttempt, kOut, 5, 5, "the end\n", true}));
}

TEST_F(Feed, RepeatsTheLastLinesAndForgetsWhatTheyReplace) {
  feed_.repeat(now_, {kAttempt, kOut, 0, 0, "nobody\n"});
  EXPECT_TRUE(sent_.empty());
  feed_.follow(true);
  queued_ = OutputFeed::kQueuedBytesMax;
  feed_.offer(now_, kAttempt, kOut, 0, "dropped\n");
  feed_.repeat(now_, {kAttempt, kOut, 0, 0, "dropped\n", true});
  feed_.finish(kAttempt, kOut, 8);
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_EQ(sent_[0], (wire::Output{kAttempt, kOut, 0, 0, "dropped\n", true, true}));
}

TEST_F(Feed, RepeatsNoMoreThanItsBudgets) {
  feed_.follow(true);
  const std::string tail(32 << 10, 'x');
  for (int i = 0; i < 1000; ++i) {
    feed_.repeat(now_, {kAttempt, kOut, 0, 0, tail});
  }
  EXPECT_EQ(sent_.size() * tail.size(), size_t{OutputFeed::kBytesPerSecond});
  now_ += std::chrono::seconds(1);
  queued_ = OutputFeed::kRepeatQueuedBytesMax;
  feed_.repeat(now_, {kAttempt, kOut, 0, 0, tail});
  EXPECT_EQ(sent_.size() * tail.size(), size_t{OutputFeed::kBytesPerSecond});
}

TEST_F(Feed, KeepsToItsBytesPerSecond) {
  feed_.follow(true);
  const std::string chunk(64 << 10, 'x');
  uint64_t offset = 0;
  for (int i = 0; i < 200; ++i, offset += chunk.size()) {
    feed_.offer(now_, kAttempt, kOut, offset, chunk);
  }
  EXPECT_EQ(static_cast<int64_t>(sent_.size() * chunk.size()), OutputFeed::kBytesPerSecond);
  feed_.finish(kAttempt, kOut, offset);
  EXPECT_EQ(sent_.back().dropped,
            offset - (sent_.size() - 1) * chunk.size() - wire::LeftOut::kLastBytes);
  now_ += std::chrono::milliseconds(500);
  feed_.offer(now_, kAttempt, kOut, offset, chunk);
  EXPECT_EQ(sent_.back().bytes, chunk);
}

TEST_F(Feed, SendsTheLastLinesOfAStreamAfterAFlood) {
  feed_.follow(true);
  queued_ = OutputFeed::kQueuedBytesMax;
  const std::string flood = std::string(100'000, 'x') + "\n";
  feed_.offer(now_, kAttempt, kOut, 0, flood);
  feed_.offer(now_, kAttempt, kOut, flood.size(), "after\n");
  feed_.finish(kAttempt, kOut, flood.size() + 6);
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_EQ(sent_[0], (wire::Output{kAttempt, kOut, flood.size(), flood.size(), "after\n", true}));
}

TEST_F(Feed, SendsTheEndOfALineWithoutEnd) {
  feed_.follow(true);
  queued_ = OutputFeed::kQueuedBytesMax;
  feed_.offer(now_, kAttempt, kOut, 0, std::string(100'000, 'x'));
  feed_.finish(kAttempt, kOut, 100'000);
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_FALSE(sent_[0].at_line_start);
  EXPECT_EQ(sent_[0].bytes.size(), wire::LeftOut::kLastBytes);
}

TEST_F(Feed, RemarksBeginALine) {
  feed_.follow(true);
  feed_.remark(kAttempt, kOut, 9, "(lost)\n");
  ASSERT_EQ(sent_.size(), 1U);
  EXPECT_EQ(sent_[0], (wire::Output{kAttempt, kOut, 9, 0, "(lost)\n", true}));
}

TEST(LastLines, CountsFromTheEnd) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(last_lines("a\nb\nc", 1), "c");
  EXPECT_EQ(last_lines("a\nb", 9), "a\nb");
  EXPECT_EQ(last_lines("a\nb\n", 0), "");
  EXPECT_EQ(last_lines("", 3), "");
  EXPECT_EQ(last_lines("\n\n", 1), "\n");
}

}  // namespace
}  // namespace muster::agent
