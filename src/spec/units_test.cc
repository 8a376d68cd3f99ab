#include "spec/duration_text.h"
#include "spec/size.h"

#include <gtest/gtest.h>

#include <random>

namespace muster::spec {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Size, ReadsWholeNumbersWithABinaryUnit) {
  EXPECT_EQ(parse_size("0b"), Bytes{0});
  EXPECT_EQ(parse_size("100b"), Bytes{100});
  EXPECT_EQ(parse_size("4k"), Bytes{4096});
  EXPECT_EQ(parse_size("512m"), Bytes{512} << 20);
  EXPECT_EQ(parse_size("2g"), Bytes{2} << 30);
  EXPECT_EQ(parse_size("3t"), Bytes{3} << 40);
}

TEST(Size, SuggestsWhatWasMeant) {
  const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {"2gb", "`2gb` is not a size; did you mean `2g`?"},
      {"2 GB", "`2 GB` is not a size; did you mean `2g`?"},
      {"2G", "`2G` is not a size; did you mean `2g`?"},
      {"512Mi", "`512Mi` is not a size; did you mean `512m`?"},
      {"2Gi", "`2Gi` is not a size; did you mean `2g`?"},
      {"4 gigs", "`4 gigs` is not a size; did you mean `4g`?"},
      {"512MiB", "`512MiB` is not a size; did you mean `512m`?"},
      {"2.5g", "`2.5g` is not a size; did you mean `2560m`?"},
      {"2 gigabytes", "`2 gigabytes` is not a size; did you mean `2g`?"},
      {"2 gallons", "`2 gallons` is not a size; write a whole number and a unit, like 512m or 2g"},
      {"", "`` is not a size; write a whole number and a unit, like 512m or 2g"},
      {"g", "`g` is not a size; write a whole number and a unit, like 512m or 2g"},
      {"0x2g", "`0x2g` is not a size; write a whole number and a unit, like 512m or 2g"},
      {"nang", "`nang` is not a size; write a whole number and a unit, like 512m or 2g"},
      {"8388608t", "`8388608t` is too large"},
  };
  for (const auto& row : rows) {
    const auto size = parse_size(row.text);
    ASSERT_FALSE(size.has_value()) << row.text;
    EXPECT_EQ(size.error().message, row.message);
  }
}

TEST(Duration, ReadsWholeNumbersWithAUnit) {
  EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
  EXPECT_EQ(parse_duration("15s"), seconds(15));
  EXPECT_EQ(parse_duration("10m"), minutes(10));
  EXPECT_EQ(parse_duration("12h"), hours(12));
  EXPECT_EQ(parse_duration("2d"), hours(48));
  EXPECT_EQ(parse_duration("0s"), seconds(0));
}

TEST(Duration, SuggestsWhatWasMeant) {
  const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {"5min", "`5min` is not a duration; did you mean `5m`?"},
      {"30 seconds", "`30 seconds` is not a duration; did you mean `30s`?"},
      {"1.5h", "`1.5h` is not a duration; did you mean `90m`?"},
      {"1H", "`1H` is not a duration; did you mean `1h`?"},
      {"soon", "`soon` is not a duration; write a whole number and a unit, like 250ms, 15s or 10m"},
      {"10", "`10` has no unit; did you mean `10s`?"},
  };
  for (const auto& row : rows) {
    const auto duration = parse_duration(row.text);
    ASSERT_FALSE(duration.has_value()) << row.text;
    EXPECT_EQ(duration.error().message, row.message);
  }
}

TEST(Units, RoundTrip) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const Bytes bytes = random() >> (1 + random() % 63);
    EXPECT_EQ(parse_size(format_size(bytes)), bytes);
    const muster::Duration duration(static_cast<int64_t>(random() >> (4 + random() % 60)));
    EXPECT_EQ(parse_duration(duration_text(duration)), duration);
  }
  EXPECT_EQ(parse_backoff("1s..1m"), (Backoff{.low = seconds(1), .high = minutes(1)}));
  EXPECT_EQ(backoff_text(Backoff{}), "1s..1m");
}

}  // namespace
}  // namespace muster::spec
