#include "agent/session/scrollback.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::agent {
namespace {

std::string all_from(const Scrollback& kept, uint64_t position) {
  std::string text;
  while (position < kept.end()) {
    const std::string_view part = kept.read(position, 1000);
    text += part;
    position += part.size();
  }
  return text;
}

TEST(Scrollback, KeepsWhatCameByItsPosition) {
  Scrollback kept;
  EXPECT_EQ(kept.read(0, 10), "");
  kept.append("one\n");
  kept.append("two\n");
  EXPECT_EQ(kept.end(), 8U);
  EXPECT_EQ(all_from(kept, 0), "one\ntwo\n");
  EXPECT_EQ(all_from(kept, 5), "wo\n");
  EXPECT_EQ(kept.read(8, 10), "");
}

TEST(Scrollback, DropsTheOldestAndStaysInBounds) {
  Scrollback kept;
  std::string whole;
  for (int i = 0; i < 200'000; ++i) {
    const std::string line = std::to_string(i) + " bottles of beer\n";
    kept.append(line);
    whole += line;
  }
  EXPECT_EQ(kept.end(), whole.size());
  EXPECT_GE(kept.end() - kept.begin(), Scrollback::kBytesMin);
  EXPECT_LE(kept.end() - kept.begin(), Scrollback::kBytesMin + (64U << 10));
  EXPECT_EQ(all_from(kept, kept.begin()), whole.substr(kept.begin()));
}

TEST(Scrollback, FindsWhereLinesBegin) {
  Scrollback kept;
  kept.append("first\nsecond\nrest");
  EXPECT_EQ(kept.line_from(2), 6U);
  EXPECT_EQ(kept.line_from(13), 13U);
}

}  // namespace
}  // namespace muster::agent
