#include "client/follow/whole_output.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::client {
namespace {

/// A reader of one stream whose log is a string.
class WholeOutputTest : public ::testing::Test {
 protected:
  /// Reports a live piece that begins at this offset.
  void live(uint64_t offset, std::string bytes) {
    const wire::Output piece{{}, wire::OutputStream::Stdout, offset, 0, std::move(bytes), false};
    if (const std::optional<wire::Output> next = whole_.take(piece)) {
      EXPECT_EQ(next->offset, seen_.size());
      seen_ += next->bytes;
    }
  }
  void catch_up() {
    while (whole_.behind()) {
      const std::optional<WholeOutput::Place> place = whole_.to_read();
      const WholeOutput::Step step =
          place ? whole_.step(*place, read(place->offset)) : whole_.step();
      missing_ += step.missing;
      why_ += step.why;
      seen_ += step.piece.bytes;
    }
  }

  Result<cluster::LogRange> read(uint64_t offset) {
    if (trouble_) {
      return *trouble_;
    }
    const uint64_t from = std::max(offset, log_begin_);
    const uint64_t at = std::min<uint64_t>(from - log_begin_, log_.size());
    return cluster::LogRange{.offset = from, .bytes = log_.substr(at, 4)};
  }

  std::string log_;
  uint64_t log_begin_ = 0;  ///< Whatever came before has been rotated away.
  std::optional<Error> trouble_;
  std::string seen_;
  uint64_t missing_ = 0;
  std::string why_;
  WholeOutput whole_;
};

TEST_F(WholeOutputTest, PassesWhatComesInOrderWithoutItsLog) {
  trouble_ = cluster_error("no log");
  live(0, "abc");
  live(1, "bcde");
  live(5, "f");
  EXPECT_FALSE(whole_.behind());
  EXPECT_EQ(seen_, "abcdef");
}

TEST_F(WholeOutputTest, ReadsAGapFromTheLogAndGoesOnLive) {
  live(0, "ab");
  log_ = "abcdefghijklm";
  live(6, "gh");
  live(10, "klm");
  EXPECT_TRUE(whole_.behind());
  EXPECT_EQ(seen_, "ab");
  catch_up();
  EXPECT_EQ(seen_, "abcdefghijklm");
  live(13, "n");
  EXPECT_EQ(seen_, "abcdefghijklmn");
  EXPECT_EQ(missing_, 0U);
}

TEST_F(WholeOutputTest, ReadsTheBeginningThatCameTooEarly) {
  log_ = "abcdef";
  live(4, "ef");
  catch_up();
  EXPECT_EQ(seen_, "abcdef");
}

TEST_F(WholeOutputTest, ReadsTheRestOfTheLogAtTheEnd) {
  log_ = "abcdefghij";
  live(0, "abc");
  whole_.finish({{}, wire::OutputStream::Stdout});
  catch_up();
  EXPECT_EQ(seen_, "abcdefghij");
}

TEST_F(WholeOutputTest, ReadsUpToAGapThatIsOnlyCounted) {
  log_ = "abcdef";
  live(0, "abc");
  live(6, "");
  catch_up();
  EXPECT_EQ(seen_, "abcdef");
}

TEST_F(WholeOutputTest, ShowsARemarkThatIsNotInTheLogBehindIt) {
  log_ = "abcdef";
  live(0, "abc");
  live(6, "(killed)\n");
  whole_.finish({{}, wire::OutputStream::Stdout});
  catch_up();
  EXPECT_EQ(seen_, "abcdef(killed)\n");
  EXPECT_EQ(missing_, 0U);
}

TEST_F(WholeOutputTest, GoesOnWithWhatCameLiveWhereTheLogEndsEarly) {
  log_ = "abcd";
  live(0, "ab");
  live(6, "gh");
  live(8, "the end");
  live(15, "(the disk is full)");
  whole_.finish({{}, wire::OutputStream::Stdout});
  catch_up();
  EXPECT_EQ(seen_, "abcdghthe end(the disk is full)");
  EXPECT_EQ(missing_, 2U);
}

TEST_F(WholeOutputTest, CountsWhatNobodyHas) {
  live(0, "ab");
  trouble_ = cluster_error("the node is gone");
  live(6, "gh");
  catch_up();
  EXPECT_EQ(seen_, "abgh");
  EXPECT_EQ(missing_, 4U);
  EXPECT_EQ(why_, "the node is gone");
}

TEST_F(WholeOutputTest, CountsWhatHasRotatedAway) {
  live(0, "ab");
  log_begin_ = 5;
  log_ = "fgh";
  live(7, "h");
  catch_up();
  EXPECT_EQ(seen_, "abfgh");
  EXPECT_EQ(missing_, 3U);
}

}  // namespace
}  // namespace muster::client
