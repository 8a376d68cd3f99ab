#include "agent/output/output_news.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::agent {
namespace {

/// Returns whether a program that has printed `first` says something new with `then`.
bool is_news(const std::string& first, const std::string& then) {
  OutputNews news;
  news.take(0, first);
  const uint64_t before = news.look();
  news.take(0, then);
  return news.look() != before;
}

TEST(OutputNews, AreLinesThatWereNotThereBefore) {
  EXPECT_TRUE(is_news("", "hello\n"));
  EXPECT_TRUE(is_news("step 1 loss 0.5\n", "step 2 loss 0.5\n"));
  EXPECT_TRUE(is_news("processed 1000 rows\n", "processed 2000 rows\n"));
  EXPECT_TRUE(is_news("1/40\n", "2/40\n"));
  EXPECT_FALSE(is_news("hello\n", "hello\n"));
  EXPECT_FALSE(is_news("hello\n", ""));
  EXPECT_FALSE(is_news("hello\n", "\n\n"));
}

TEST(OutputNews, AreCountedUpToABound) {
  OutputNews news;
  news.take(0, "loading\nloading\n");
  EXPECT_EQ(news.look(), 1U);
  news.take(0, "step 1\nstep 2\nstep 3\n");
  EXPECT_EQ(news.look(), 4U);
  for (int step = 4; step < 100; ++step) {
    news.take(0, "step " + std::to_string(step) + "\n");
  }
  EXPECT_EQ(news.look(), 4U + OutputNews::kCountedMax);
  EXPECT_EQ(news.look(), 4U + OutputNews::kCountedMax);
}

TEST(OutputNews, CompareLinesWordByWord) {
  EXPECT_EQ(comparable("[13:43:01] step\t2"), "step 2 ");
  EXPECT_TRUE(is_news("ab c\n", "a bc\n"));
}

TEST(OutputNews, AreNoOtherTimes) {
  EXPECT_FALSE(
      is_news("2026-11-24 13:43:01,250 INFO alive\n", "2026-11-24 13:43:31,250 INFO alive\n"));
  EXPECT_FALSE(is_news("[13:43:01] alive\n", "[13:43:02] alive\n"));
  EXPECT_FALSE(is_news("2026-11-24T13:43:01Z alive\n", "2026-11-24T13:43:02Z alive\n"));
}

TEST(OutputNews, AreNoOtherNumbersWhereItGetsNowhere) {
  EXPECT_FALSE(is_news("attempt 1 failed: connection refused, retrying\n",
                       "attempt 2 failed: connection refused, retrying\n"));
  EXPECT_FALSE(is_news("Waiting for 3 peers (10 s)\n", "Waiting for 3 peers (20 s)\n"));
  EXPECT_TRUE(is_news("step 1 error 0.31\n", "step 2 error 0.29\n"));
}

TEST(OutputNews, AreNotSaidAgainByASeriesOfLines) {
  std::string trace;
  for (int line = 0; line < 20; ++line) {
    trace += "  File \"a.py\", line " + std::to_string(line) + "\n";
  }
  EXPECT_FALSE(is_news(trace, trace + trace));
}

TEST(OutputNews, AreWhatGrowsWithoutAnEnd) {
  EXPECT_TRUE(is_news("..", "."));
  EXPECT_TRUE(is_news("\r 10 %", "\r 11 %"));
  EXPECT_TRUE(is_news("", "x"));
}

TEST(OutputNews, ReadsLinesInAnyPiecesAndKeepsStreamsApart) {
  OutputNews news;
  news.take(0, "one\ntwo\n");
  const uint64_t before = news.look();
  for (const char byte : std::string("one\ntwo\none\n")) {
    news.take(0, std::string_view(&byte, 1));
  }
  EXPECT_EQ(news.look(), before);
  news.take(0, "o");
  news.take(1, "tw");
  news.take(0, "ne\n");
  news.take(1, "o\n");
  EXPECT_EQ(news.look(), before);
}

TEST(OutputNews, FindsTheEndsOfLinesThatItDoesNotRead) {
  OutputNews news;
  const std::string line(100, 'x');
  for (size_t bytes = 0; bytes < 3 * OutputNews::kReadMax; bytes += line.size() + 1) {
    news.take(0, line + "\n");
  }
  news.take(0, line.substr(50));
  (void)news.look();
  news.take(0, line.substr(50) + "\n");
  const uint64_t before = news.look();
  news.take(0, line + "\n");
  EXPECT_EQ(news.look(), before);
}

TEST(OutputNews, RemembersOnlyTheLast) {
  OutputNews news;
  news.take(0, "first\n");
  (void)news.look();
  for (size_t line = 0; line < OutputNews::kRemembered; ++line) {
    news.take(0, "line " + std::to_string(line) + "\n");
    (void)news.look();
  }
  const uint64_t before = news.look();
  news.take(0, "first\n");
  EXPECT_NE(news.look(), before);
}

}  // namespace
}  // namespace muster::agent
