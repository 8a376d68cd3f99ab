#include "hadoop/writable.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace muster::hadoop {
namespace {

using namespace std::string_literals;

std::string encoded(int64_t value) {
  WritableWriter writer;
  writer.vlong(value);
  return writer.take();
}

TEST(Writable, NumbersHaveJavasForm) {
  EXPECT_EQ(encoded(0), "\0"s);
  EXPECT_EQ(encoded(127), "\x7F");
  EXPECT_EQ(encoded(-112), "\x90");
  EXPECT_EQ(encoded(128), "\x8F\x80");
  EXPECT_EQ(encoded(-113), "\x87\x70");
  EXPECT_EQ(encoded(256), "\x8E\x01\x00"s);
  EXPECT_EQ(encoded(1'700'000'000'000), "\x8A\x01\x8B\xCF\xE5\x68\x00"s);
}

TEST(Writable, NumbersComeBack) {
  std::vector<int64_t> values{std::numeric_limits<int64_t>::min(),
                              std::numeric_limits<int64_t>::max()};
  for (unsigned shift = 0; shift < 63; ++shift) {
    for (const int64_t nearby : {-1, 0, 1}) {
      values.push_back((int64_t{1} << shift) + nearby);
      values.push_back(-(int64_t{1} << shift) + nearby);
    }
  }
  for (const int64_t value : values) {
    const std::string bytes = encoded(value);
    WritableReader reader(bytes);
    EXPECT_EQ(*reader.vlong(), value);
    EXPECT_TRUE(reader.at_end());
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      WritableReader torn(std::string_view(bytes).substr(0, cut));
      EXPECT_FALSE(torn.vlong().has_value());
      EXPECT_EQ(torn.offset(), 0U);
    }
  }
}

TEST(Writable, RefusesLengthsThatAreNotThere) {
  const auto wrong = [](const std::string& bytes) {
    WritableReader reader(bytes);
    const Result<std::string_view> taken = reader.bytes();
    EXPECT_FALSE(taken.has_value());
    EXPECT_EQ(reader.offset(), 0U);
    return taken ? std::string() : taken.error().message;
  };
  EXPECT_EQ(wrong(encoded(-1) + "xx"), "damaged at byte 0: the length -1 is negative");
  EXPECT_EQ(wrong(encoded(3) + "xx"), "damaged at byte 0: 3 bytes announced, 2 left");
  EXPECT_EQ(wrong(encoded(int64_t{1} << 40)),
            "damaged at byte 0: 1099511627776 does not fit into 32 bits");
  EXPECT_EQ(wrong(encoded(std::numeric_limits<int32_t>::max())),
            "damaged at byte 0: 2147483647 bytes announced, 0 left");
  const std::string five = encoded(5) + "aaaa";
  WritableReader count(five);
  EXPECT_FALSE(count.count(1).has_value());
  WritableReader negative("\xFF\xFF\xFF\xFF");
  EXPECT_EQ(negative.int32_bytes().error().message, "damaged at byte 0: the length -1 is negative");
}

TEST(Writable, DelimitedMessagesHaveVarints) {
  for (const size_t size : {0U, 1U, 127U, 128U, 300U, 70'000U}) {
    WritableWriter writer;
    writer.delimited(std::string(size, 'x'));
    const std::string bytes = writer.take();
    WritableReader reader(bytes);
    EXPECT_EQ(reader.delimited()->size(), size);
    EXPECT_TRUE(reader.at_end());
  }
  WritableReader endless("\xFF\xFF\xFF\xFF\xFF\xFF");
  EXPECT_EQ(endless.delimited().error().message,
            "damaged at byte 0: a length is longer than five bytes");
}

}  // namespace
}  // namespace muster::hadoop
