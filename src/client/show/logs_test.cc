#include "client/show/logs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace muster::client {
namespace {

using std::chrono::seconds;

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
                  ": must be a duration such as 10m or a time such as 2026-11-21T09:30:00Z");
  }
}

}  // namespace
}  // namespace muster::client
