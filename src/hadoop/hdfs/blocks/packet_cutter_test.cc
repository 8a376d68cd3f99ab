#include "hadoop/hdfs/blocks/packet_cutter.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::hadoop::hdfs {
namespace {

constexpr Checksum kChecksum{ChecksumType::Crc32c, 512};

PacketCutter cutter(uint64_t block_bytes) {
  return PacketCutter(kChecksum, {.block_bytes = block_bytes, .packet_bytes = 65536});
}

/// Adds all of `bytes`, which must fit into one packet.
void add(PacketCutter& to, std::string_view bytes) {
  to.add(bytes);
  EXPECT_TRUE(bytes.empty());
}

TEST(PacketCutter, FillsPacketsAsHadoopDoes) {
  PacketCutter packets = cutter(1 << 20);
  EXPECT_EQ(packets.packet_data_max(), 64512U);
  const std::string bytes(70000, 'x');
  std::string_view rest = bytes;
  packets.add(rest);
  EXPECT_TRUE(packets.full());
  EXPECT_EQ(rest.size(), 70000U - 64512U);
  const Packet packet = packets.cut();
  EXPECT_EQ(packet.data.size(), 64512U);
  EXPECT_EQ(packet.sums.size(), 126U * 4);
  EXPECT_FALSE(packets.full());
}

TEST(PacketCutter, BlocksEndWithAnEmptyPacket) {
  PacketCutter packets = cutter(1024);
  const std::string bytes(1500, 'x');
  std::string_view rest = bytes;
  packets.add(rest);
  EXPECT_TRUE(packets.full());
  EXPECT_EQ(packets.cut().data.size(), 1024U);
  EXPECT_TRUE(packets.block_full());
  const Packet end = packets.end_block();
  EXPECT_TRUE(end.header.last_in_block);
  EXPECT_EQ(end.header.offset_in_block, 1024);
  EXPECT_EQ(end.header.sequence, 1);
  EXPECT_FALSE(packets.in_block());
  packets.add(rest);
  EXPECT_TRUE(rest.empty());
  const Packet next = packets.cut();
  EXPECT_EQ(next.header.offset_in_block, 0);
  EXPECT_EQ(next.header.sequence, 0);
  EXPECT_EQ(next.number, 3U);
}

TEST(PacketCutter, AChunkThatWasCutIsSentAgain) {
  PacketCutter packets = cutter(4096);
  add(packets, std::string(700, 'a'));
  const Packet first = packets.cut();
  EXPECT_EQ(first.end_in_block(), 700U);
  EXPECT_FALSE(packets.has_fresh());
  add(packets, std::string(10, 'b'));
  const Packet second = packets.cut();
  EXPECT_EQ(second.header.offset_in_block, 512);
  EXPECT_EQ(second.data, std::string(188, 'a') + std::string(10, 'b'));
  EXPECT_EQ(second.end_in_block(), 710U);
}

TEST(PacketCutter, AFlushJustBeforeTheEndStillFillsTheBlock) {
  PacketCutter packets = cutter(1024);
  add(packets, std::string(1023, 'a'));
  static_cast<void>(packets.cut());
  const std::string more(5, 'b');
  std::string_view rest = more;
  packets.add(rest);
  EXPECT_EQ(rest.size(), 4U);
  EXPECT_TRUE(packets.full());
  EXPECT_EQ(packets.cut().end_in_block(), 1024U);
  EXPECT_TRUE(packets.block_full());
}

}  // namespace
}  // namespace muster::hadoop::hdfs
