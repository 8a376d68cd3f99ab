#include "hadoop/hdfs/file_reader.h"

#include "testing/hadoop/fake_hdfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace muster::hadoop::hdfs {
namespace {

using ::muster::testing::FakeHdfs;
using ::muster::testing::sample_bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kBlock = 10'000;

TEST(FileReader, ReadsFilesOfEverySize) {
  FakeHdfs fs(1);
  for (const size_t size : {0U, 1U, 511U, 512U, 4096U, 9999U, 10000U, 10001U, 35000U}) {
    const std::string bytes = sample_bytes(size);
    fs.name_node.add_file("/f", bytes, kBlock);
    EXPECT_TRUE(fs.read("/f") == bytes) << size;
  }
}

TEST(FileReader, ReadsRanges) {
  FakeHdfs fs(1);
  const std::string bytes = sample_bytes(25'000);
  fs.name_node.add_file("/f", bytes, kBlock);
  for (const uint64_t offset : {0U, 1U, 511U, 513U, 9999U, 10000U, 24999U, 25000U, 99999U}) {
    for (const uint64_t length : {0U, 1U, 600U, 12000U, 99999U}) {
      const std::string wanted = offset < bytes.size() ? bytes.substr(offset, length) : "";
      EXPECT_TRUE(fs.read("/f", {.offset = offset, .length = length}) == wanted)
          << offset << " " << length;
    }
  }
}

TEST(FileReader, PutsSmallPiecesTogether) {
  FakeHdfs fs(1);
  fs.net.set_options({.read_max = 7});
  const std::string bytes = sample_bytes(3000);
  fs.name_node.add_file("/f", bytes, kBlock);
  EXPECT_TRUE(fs.read("/f") == bytes);
  fs.loop.run_ready();
  EXPECT_EQ(fs.nodes[0]->verdicts, 1);
}

TEST(FileReader, OneConnectionServesManyReads) {
  FakeHdfs fs(1);
  const std::string bytes = sample_bytes(25'000);
  fs.name_node.add_file("/f", bytes, kBlock);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(fs.read("/f") == bytes);
    EXPECT_TRUE(fs.read("/f", {.offset = 700, .length = 600}) == bytes.substr(700, 600));
  }
  fs.loop.run_ready();
  EXPECT_EQ(fs.nodes[0]->reads, 16);
  EXPECT_EQ(fs.nodes[0]->verdicts, 16);
  EXPECT_EQ(fs.nodes[0]->connections, 1);
}

TEST(FileReader, AnIdleConnectionIsClosedInTime) {
  FakeHdfs fs(1);
  fs.name_node.add_file("/f", "abc", kBlock);
  EXPECT_EQ(fs.read("/f"), "abc");
  EXPECT_EQ(fs.data_nodes.idle().size(), 1U);
  fs.loop.advance(std::chrono::seconds(5));
  EXPECT_EQ(fs.data_nodes.idle().size(), 0U);
  EXPECT_EQ(fs.read("/f"), "abc");
  EXPECT_EQ(fs.nodes[0]->connections, 2);
}

TEST(FileReader, AConnectionThatTheNodeClosedIsMadeAnewInSilence) {
  FakeHdfs fs(1);
  fs.name_node.add_file("/f", "abc", kBlock);
  fs.nodes[0]->keep_alive = std::chrono::milliseconds(10);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(fs.read("/f"), "abc");
    EXPECT_EQ(fs.data_nodes.idle().size(), 1U);
    const HostTime begun = fs.loop.now();
    fs.loop.advance(std::chrono::seconds(1));
    EXPECT_EQ(fs.read("/f"), "abc");
    EXPECT_LT(fs.loop.now() - begun, std::chrono::seconds(2));
    EXPECT_EQ(fs.nodes[0]->connections, 2 * i);
    fs.loop.advance(std::chrono::seconds(5));
  }
  EXPECT_EQ(fs.name_node.calls["getBlockLocations"], 6);
}

TEST(FileReader, ANodeThatDiedBetweenTwoReadsIsLeftForTheNext) {
  FakeHdfs fs(2);
  fs.name_node.add_file("/f", "abc", kBlock);
  EXPECT_EQ(fs.read("/f"), "abc");
  fs.nodes[0]->die();
  EXPECT_EQ(fs.read("/f"), "abc");
  EXPECT_EQ(fs.nodes[1]->reads, 1);
}

TEST(FileReader, ARefusalDoesNotCloseTheOthersConnections) {
  FakeHdfs fs(1);
  fs.name_node.add_file("/f", "abc", kBlock);
  EXPECT_EQ(fs.read("/f"), "abc");
  fs.nodes[0]->faults.stale_tokens = 1;
  EXPECT_EQ(fs.read("/f"), "abc");
  EXPECT_EQ(fs.name_node.calls["getBlockLocations"], 3);
}

TEST(FileReader, ADeadNodeIsLeftForTheNext) {
  FakeHdfs fs(2);
  const std::string bytes = sample_bytes(25'000);
  fs.name_node.add_file("/f", bytes, kBlock);
  fs.nodes[0]->die();
  EXPECT_TRUE(fs.read("/f") == bytes);
}

TEST(FileReader, ANodeThatDiesInMidBlockIsLeftThere) {
  FakeHdfs fs(2);
  const std::string bytes = sample_bytes(25'000);
  fs.name_node.add_file("/f", bytes, kBlock);
  fs.nodes[0]->faults.die_after_read = 5000;
  EXPECT_TRUE(fs.read("/f") == bytes);
  EXPECT_EQ(fs.nodes[0]->reads, 1);
}

TEST(FileReader, ADamagedReplicaIsReportedAndLeft) {
  FakeHdfs fs(2);
  const std::string bytes = sample_bytes(5000);
  fs.name_node.add_file("/f", bytes, kBlock);
  fs.nodes[0]->faults.damage = true;
  EXPECT_TRUE(fs.read("/f") == bytes);
  EXPECT_THAT(fs.name_node.damaged_on, ElementsAre("uuid-1"));
}

TEST(FileReader, ASilentNodeIsLeftAfterItsTime) {
  FakeHdfs fs(2);
  const std::string bytes = sample_bytes(5000);
  fs.name_node.add_file("/f", bytes, kBlock);
  fs.nodes[0]->faults.silent = true;
  const HostTime begin = fs.loop.now();
  EXPECT_TRUE(fs.read("/f") == bytes);
  EXPECT_LT(fs.loop.now() - begin, std::chrono::seconds(90));
}

TEST(FileReader, AnExpiredTokenIsRenewed) {
  FakeHdfs fs(1);
  const std::string bytes = sample_bytes(5000);
  fs.name_node.add_file("/f", bytes, kBlock);
  fs.nodes[0]->faults.stale_tokens = 1;
  EXPECT_TRUE(fs.read("/f") == bytes);
  EXPECT_EQ(fs.name_node.calls["getBlockLocations"], 2);
}

TEST(FileReader, NoReplicaLeftNamesWhatWasTried) {
  FakeHdfs fs(2);
  fs.name_node.add_file("/f", sample_bytes(5000), kBlock);
  fs.nodes[0]->faults.damage = true;
  fs.nodes[1]->die();
  EXPECT_EQ(fs.read("/f"), "(error)");
  EXPECT_THAT(fs.error, HasSubstr("cannot read /f at byte 0: no replica is left"));
  EXPECT_THAT(fs.error, HasSubstr("checksum does not match"));
  EXPECT_THAT(fs.error, HasSubstr("10.0.0.2"));
}

TEST(FileReader, ANodeThatComesBackIsFound) {
  FakeHdfs fs(1);
  const std::string bytes = sample_bytes(5000);
  fs.name_node.add_file("/f", bytes, kBlock);
  fs.nodes[0]->die();
  fs.loop.call_after(std::chrono::seconds(5), [&] { fs.nodes[0]->live(); });
  EXPECT_TRUE(fs.read("/f") == bytes);
}

TEST(FileReader, RefusesWhatItCannotRead) {
  FakeHdfs fs(1);
  fs.name_node.add_file("/f", sample_bytes(10), kBlock);
  fs.name_node.erasure_coded = true;
  EXPECT_EQ(fs.read("/f"), "(error)");
  EXPECT_THAT(fs.error, HasSubstr("erasure-coded (RS-6-3-1024k)"));
  EXPECT_EQ(fs.read("/none"), "(error)");
  EXPECT_THAT(fs.error, HasSubstr("File does not exist: /none"));
}

TEST(FileReader, SafeModeIsWaitedFor) {
  FakeHdfs fs(1);
  fs.name_node.add_file("/f", "abc", kBlock);
  const testing::FakeNameNode::Refusal safe{
      "org.apache.hadoop.hdfs.server.namenode.SafeModeException", "Name node is in safe mode"};
  fs.name_node.refusals["getBlockLocations"] = {safe, safe, safe};
  EXPECT_EQ(fs.read("/f"), "abc");
  for (int i = 0; i < 100; ++i) {
    fs.name_node.refusals["getBlockLocations"].push_back(safe);
  }
  EXPECT_EQ(fs.read("/f"), "(error)");
  EXPECT_THAT(fs.error, HasSubstr("safe mode"));
}

}  // namespace
}  // namespace muster::hadoop::hdfs
