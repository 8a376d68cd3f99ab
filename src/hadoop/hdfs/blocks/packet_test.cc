#include "hadoop/hdfs/blocks/packet.h"

#include "hadoop/hdfs/blocks/varint.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::hadoop::hdfs {
namespace {

PacketHeader sample() {
  return {.offset_in_block = 64512,
          .sequence = 7,
          .last_in_block = false,
          .data_bytes = 512,
          .sync = false};
}

TEST(Packet, HeaderHasTheSizeThatHdfsExpects) {
  PacketHeader header = sample();
  EXPECT_EQ(encode_packet_start(header, 4).size(), kPacketLengths + 25);
  header.sync = true;
  EXPECT_EQ(encode_packet_start(header, 4).size(), kPacketLengths + 27);
}

TEST(Packet, ReadsBackWhatItWrites) {
  for (const bool flag : {false, true}) {
    PacketHeader header = sample();
    header.sync = flag;
    header.last_in_block = flag;
    header.sequence = flag ? kHeartbeatSequence : 9;
    const std::string start = encode_packet_start(header, 4);
    const auto lengths = decode_packet_lengths(start);
    ASSERT_TRUE(lengths.has_value());
    EXPECT_EQ(lengths->body_bytes, 516U);
    ASSERT_EQ(lengths->header_bytes, start.size() - kPacketLengths);
    EXPECT_EQ(decode_packet_header(start.substr(kPacketLengths), 516).value(), header);
  }
}

TEST(Packet, EveryTruncatedHeaderIsAnError) {
  const std::string header = encode_packet_start(sample(), 4).substr(kPacketLengths);
  for (size_t length = 0; length < header.size(); ++length) {
    EXPECT_EQ(decode_packet_header(header.substr(0, length), 516).error().code, Errc::Corrupt);
  }
}

TEST(Packet, UnknownFieldsArePassedOver) {
  std::string header = encode_packet_start(sample(), 4).substr(kPacketLengths);
  header += "\x30\x05";  // 6: varint
  header +=
      "\x3a\x03"
      "abc";  // 7: bytes
  header +=
      "\x45"
      "1234";  // 8: fixed32
  header +=
      "\x49"
      "12345678";  // 9: fixed64
  EXPECT_EQ(decode_packet_header(header, 516).value(), sample());
}

TEST(Packet, LengthsOutOfBoundsAreErrors) {
  EXPECT_FALSE(decode_packet_lengths(std::string(5, '\0')).has_value());
  EXPECT_FALSE(decode_packet_lengths(std::string("\0\0\0\3\0\31", 6)).has_value());
  EXPECT_FALSE(decode_packet_lengths("HTTP/1").has_value());
  EXPECT_FALSE(decode_packet_lengths(std::string("\0\0\0\4\1\0", 6)).has_value());
  EXPECT_FALSE(decode_packet_header(encode_packet_start(sample(), 4).substr(kPacketLengths), 100)
                   .has_value());
}

TEST(Varint, RoundTripsAndRefusesWhatIsCutOff) {
  for (const uint64_t value :
       {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{300}, uint64_t{1} << 63, UINT64_MAX}) {
    std::string bytes;
    put_varint(bytes, value);
    for (size_t length = 0; length < bytes.size(); ++length) {
      std::string_view part = std::string_view(bytes).substr(0, length);
      EXPECT_FALSE(take_varint(part).has_value());
    }
    std::string_view whole = bytes;
    EXPECT_EQ(take_varint(whole), value);
    EXPECT_TRUE(whole.empty());
  }
  const std::string endless(11, '\xff');
  std::string_view view = endless;
  EXPECT_FALSE(take_varint(view).has_value());
}

}  // namespace
}  // namespace muster::hadoop::hdfs
