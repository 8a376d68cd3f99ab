#include "client/follow/alike_lines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace muster::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string silent(int number) { return fmt::format("container c{} is silent", number); }

/// Returns what people read.
std::vector<std::string> told(const std::vector<std::string>& lines) {
  AlikeLines alike;
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    std::ranges::move(alike.take(line), std::back_inserter(out));
  }
  std::ranges::move(alike.rest(), std::back_inserter(out));
  return out;
}

TEST(AlikeLines, TellsAFewAsTheyAre) {
  std::vector<std::string> lines;
  for (int number = 1; number <= 8; ++number) {
    lines.push_back(silent(number));
  }
  EXPECT_EQ(told(lines), lines);
}

TEST(AlikeLines, CountsTheRestOfMany) {
  std::vector<std::string> lines;
  for (int number = 1; number <= 100; ++number) {
    lines.push_back(silent(number));
  }
  const std::vector<std::string> out = told(lines);
  ASSERT_EQ(out.size(), 9U);
  EXPECT_EQ(out[7], silent(8));
  EXPECT_EQ(out[8], "92 more like it; the last: container c100 is silent");
}

TEST(AlikeLines, OneMoreIsToldAsItIs) {
  std::vector<std::string> lines;
  for (int number = 1; number <= 9; ++number) {
    lines.push_back(silent(number));
  }
  EXPECT_EQ(told(lines), lines);
}

TEST(AlikeLines, AnotherKindEndsThem) {
  std::vector<std::string> lines;
  for (int number = 1; number <= 20; ++number) {
    lines.push_back(silent(number));
  }
  lines.emplace_back("stop requested by ann");
  lines.push_back(silent(21));
  const std::vector<std::string> out = told(lines);
  ASSERT_EQ(out.size(), 11U);
  EXPECT_EQ(out[8], "12 more like it; the last: container c20 is silent");
  EXPECT_EQ(out[9], "stop requested by ann");
  EXPECT_EQ(out[10], silent(21));
}

TEST(AlikeLines, WhatWasToldIsNotToldAgain) {
  AlikeLines alike;
  for (int number = 1; number <= 10; ++number) {
    (void)alike.take(silent(number));
  }
  EXPECT_THAT(alike.rest(), ElementsAre("2 more like it; the last: container c10 is silent"));
  EXPECT_THAT(alike.rest(), IsEmpty());
  EXPECT_THAT(alike.take(silent(11)), IsEmpty());
  EXPECT_THAT(alike.rest(), ElementsAre(silent(11)));
}

}  // namespace
}  // namespace muster::client
