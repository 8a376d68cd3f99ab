#include "page/log_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace muster::page {
namespace {

using namespace std::chrono_literals;

LogPiece piece_of(std::string bytes, uint64_t from = 0, uint64_t end = 0) {
  LogPiece piece;
  piece.from = from;
  piece.bytes = std::move(bytes);
  piece.next = from + piece.bytes.size();
  piece.end = std::max(end, piece.next);
  return piece;
}

std::string of_two_letters(unsigned bits, size_t length) {
  std::string text(length, 'a');
  for (size_t at = 0; at < length; ++at) {
    text[at] = (bits >> at & 1U) != 0 ? 'b' : 'a';
  }
  return text;
}

TEST(LogLines, ALineWithoutItsEndIsOpenWhileItsTaskRuns) {
  const LogLines open = lines_of(piece_of("one\ntw"), true, true);
  EXPECT_EQ(open.json, R"([[0,0,"one"],[4,0,"tw"]])");
  EXPECT_TRUE(open.open);
  EXPECT_EQ(open.next, 4U);
  const LogLines ended = lines_of(piece_of("one\ntw"), true, false);
  EXPECT_FALSE(ended.open);
  EXPECT_EQ(ended.next, 6U);
}

TEST(LogLines, APieceFromTheMiddleBeginsWithAWholeLine) {
  const LogLines lines = lines_of(piece_of("ne\ntwo\nthr", 1, 100), false, true);
  EXPECT_EQ(lines.json, R"([[4,0,"two"]])");
  EXPECT_EQ(lines.from, 4U);
  EXPECT_EQ(lines.next, 8U);
  EXPECT_FALSE(lines.open);
}

TEST(LogLines, ALineThatFillsThePieceIsCutBetweenCharacters) {
  const LogLines lines = lines_of(piece_of("aaa\xC3", 10, 100), true, true);
  EXPECT_EQ(lines.json, R"([[10,0,"aaa"]])");
  EXPECT_EQ(lines.next, 13U);
}

TEST(LogLines, TellWhenTheyWereWritten) {
  LogPiece piece = piece_of("one\ntwo\nthree\n");
  piece.times = {{0, WallTime(1s)}, {4, WallTime(2s)}};
  EXPECT_EQ(lines_of(piece, true, true).json,
            R"([[0,1000,"one"],[4,2000,"two"],[8,2000,"three"]])");
}

TEST(LogLines, WordsAreFoundInAnyCase) {
  const std::string text = "all well\nERROR: one\nError: two\n";
  EXPECT_EQ(find_words(text, {"error", "never"}, false), 9U);
  EXPECT_EQ(find_words(text, {"two", "error", "one"}, false), 9U);
  EXPECT_EQ(find_words(text, {"error"}, true), 20U);
  EXPECT_EQ(find_words(text, {"warning"}, false), std::nullopt);
}

TEST(LogLines, WordsThatRepeatThemselvesAreFound) {
  // All texts of ten letters and all words of up to four, over two letters.
  for (unsigned bits = 0; bits < 1U << 10; ++bits) {
    const std::string text = of_two_letters(bits, 10);
    for (size_t length = 1; length <= 4; ++length) {
      for (unsigned word_bits = 0; word_bits < 1U << length; ++word_bits) {
        const std::string word = of_two_letters(word_bits, length);
        const auto known = [](size_t at) {
          return at == std::string::npos ? std::nullopt : std::optional(at);
        };
        ASSERT_EQ(find_words(text, {word}, false), known(text.find(word))) << text << " " << word;
        ASSERT_EQ(find_words(text, {word}, true), known(text.rfind(word))) << text << " " << word;
      }
    }
  }
}

}  // namespace
}  // namespace muster::page
