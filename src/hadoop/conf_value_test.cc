#include "hadoop/conf_value.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

using std::chrono::milliseconds;

TEST(ConfValue, ReadsFlagsAndNumbers) {
  EXPECT_EQ(parse_flag(" TRUE\n"), true);
  EXPECT_EQ(parse_flag("false"), false);
  EXPECT_EQ(parse_flag("yes"), std::nullopt);
  EXPECT_EQ(parse_number(" 42 "), 42);
  EXPECT_EQ(parse_number("-7"), -7);
  EXPECT_EQ(parse_number("+7"), 7);
  EXPECT_EQ(parse_number("0x1F"), 31);
  EXPECT_EQ(parse_number("-0x10"), -16);
  for (const char* text : {"", "x", "1.5", "12 3", "0x", "0x-1", "+-1", "99999999999999999999"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(ConfValue, ReadsSizes) {
  EXPECT_EQ(parse_size("512"), 512);
  EXPECT_EQ(parse_size("128m"), 128LL << 20);
  EXPECT_EQ(parse_size("2G"), 2LL << 30);
  EXPECT_EQ(parse_size("1 k"), 1024);
  EXPECT_EQ(parse_size("7e"), 7LL << 60);
  for (const char* text : {"", "m", "128mb", "8e", "-9e", "1.5g"}) {
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
  }
}

TEST(ConfValue, ReadsDurations) {
  EXPECT_EQ(parse_duration("250", milliseconds(1)), milliseconds(250));
  EXPECT_EQ(parse_duration("30", std::chrono::seconds(1)), std::chrono::seconds(30));
  EXPECT_EQ(parse_duration(" 2H", milliseconds(1)), std::chrono::hours(2));
  EXPECT_EQ(parse_duration("5us", milliseconds(1)), Duration(5));
  EXPECT_EQ(parse_duration("1500ns", milliseconds(1)), Duration(1));
  EXPECT_EQ(parse_duration("1d", milliseconds(1)), std::chrono::hours(24));
  EXPECT_EQ(parse_duration("-1", milliseconds(1)), milliseconds(-1));
  EXPECT_EQ(parse_duration("9223372036854775807", milliseconds(1)), Duration::max());
  EXPECT_EQ(parse_duration("9223372036854775807d", milliseconds(1)), Duration::max());
  EXPECT_EQ(parse_duration("-9223372036854775807", milliseconds(1)), Duration::min());
  for (const char* text : {"", "s", "10 s", "1w", "ten"}) {
    EXPECT_EQ(parse_duration(text, milliseconds(1)), std::nullopt) << text;
  }
}

TEST(ConfValue, ReadsListsAndAddresses) {
  EXPECT_EQ(parse_list(" a, b,,c ,"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(parse_list("").empty());
  EXPECT_EQ(parse_address("nn:9000", 8020), (net::HostPort{"nn", 9000}));
  EXPECT_EQ(parse_address(" nn ", 8020), (net::HostPort{"nn", 8020}));
  EXPECT_EQ(parse_address("hdfs://nn:9/x", 8020), (net::HostPort{"nn", 9}));
  EXPECT_EQ(parse_address("[::1]", 8020), (net::HostPort{"::1", 8020}));
  EXPECT_EQ(parse_address("[::1]:5", 8020), (net::HostPort{"::1", 5}));
  for (const char* text : {"", "nn:", "nn:0", "nn:70000", ":5", "a b", "a/b", "[::1", "::1"}) {
    EXPECT_EQ(parse_address(text, 8020), std::nullopt) << text;
  }
  EXPECT_EQ(parse_address("nn", 0), std::nullopt);
}

}  // namespace
}  // namespace muster::hadoop
