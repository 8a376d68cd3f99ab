#include "hadoop/hdfs/blocks/packet_window.h"

#include <gtest/gtest.h>

namespace muster::hadoop::hdfs {
namespace {

Packet packet(int64_t sequence) {
  Packet packet;
  packet.header.sequence = sequence;
  packet.number = static_cast<uint64_t>(sequence) + 1;
  return packet;
}

class PacketWindowTest : public ::testing::Test {
 protected:
  void send(int count) {
    for (int i = 0; i < count; ++i) {
      window_.push(packet(sequence_++));
      (void)window_.begin_sending();
      window_.end_sending();
    }
  }

  PacketWindow window_;
  int64_t sequence_ = 0;
};

TEST_F(PacketWindowTest, PacketsAreAcknowledgedInOrder) {
  send(2);
  EXPECT_FALSE(window_.acknowledge(1).has_value());
  EXPECT_TRUE(window_.acknowledge(0).has_value());
  EXPECT_EQ(window_.acknowledged(), 1U);
  EXPECT_FALSE(window_.all_acknowledged());
  EXPECT_TRUE(window_.acknowledge(1).has_value());
  EXPECT_TRUE(window_.all_acknowledged());
  EXPECT_FALSE(window_.acknowledge(2).has_value());
}

TEST_F(PacketWindowTest, APacketOnItsWayStaysWhereItIs) {
  window_.push(packet(0));
  const Packet& sending = window_.begin_sending();
  EXPECT_FALSE(window_.acknowledge(sending.header.sequence).has_value());
  window_.end_sending();
  EXPECT_TRUE(window_.acknowledge(0).has_value());
}

TEST_F(PacketWindowTest, WhatWasNotAcknowledgedIsSentAgainFirst) {
  send(3);
  window_.push(packet(3));
  EXPECT_TRUE(window_.acknowledge(0).has_value());
  window_.rewind();
  EXPECT_EQ(window_.size(), 3U);
  EXPECT_EQ(window_.next()->header.sequence, 1);
  (void)window_.begin_sending();
  window_.end_sending();
  EXPECT_EQ(window_.next()->header.sequence, 2);
}

TEST_F(PacketWindowTest, AClosedBlockAcknowledgesAllThatWasSent) {
  window_.acknowledge_all();
  EXPECT_EQ(window_.acknowledged(), 0U);
  send(2);
  window_.push(packet(2));
  window_.acknowledge_all();
  EXPECT_EQ(window_.acknowledged(), 2U);
  EXPECT_EQ(window_.size(), 1U);
}

}  // namespace
}  // namespace muster::hadoop::hdfs
