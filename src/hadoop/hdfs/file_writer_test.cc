#include "hadoop/hdfs/file_writer.h"

#include "testing/hadoop/fake_hdfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace muster::hadoop::hdfs {
namespace {

using ::muster::testing::FakeHdfs;
using ::muster::testing::sample_bytes;
using ::testing::HasSubstr;

WriterOptions options(uint32_t replication) {
  WriterOptions made;
  made.replication = replication;
  made.block_bytes = 10'240;
  made.packet_bytes = 1100;  // Two chunks in each packet.
  return made;
}

size_t current_replicas(const FakeHdfs& fs, const std::string& path) {
  return fs.name_node.replicas_of(fs.name_node.files.at(path).blocks.back());
}

TEST(FileWriter, WritesFilesOfEverySize) {
  for (const size_t size : {0U, 1U, 512U, 1024U, 10239U, 10240U, 10241U, 35000U}) {
    FakeHdfs fs(2);
    const std::string bytes = sample_bytes(size);
    ASSERT_TRUE(fs.write("/f", bytes, options(2)).has_value());
    EXPECT_TRUE(fs.name_node.content("/f") == bytes);
    EXPECT_EQ(fs.name_node.files["/f"].status.size_bytes, size);
    EXPECT_TRUE(fs.read("/f") == bytes);
  }
}

TEST(FileWriter, FlushedBytesAreVisible) {
  FakeHdfs fs(2);
  const auto writer = fs.open("/log", options(2));
  std::string all;
  for (const size_t size : {1U, 100U, 511U, 1000U, 3000U, 10'000U}) {
    const std::string bytes = sample_bytes(size);
    all += bytes;
    ASSERT_TRUE(fs.run(writer->write(bytes)).has_value());
    ASSERT_TRUE(fs.run(writer->flush()).has_value());
    EXPECT_TRUE(fs.read("/log") == all);
  }
  ASSERT_TRUE(fs.run(writer->close()).has_value());
  EXPECT_TRUE(fs.read("/log") == all);
}

TEST(FileWriter, FlushedBytesAreReadThoughANodeWasRestarted) {
  FakeHdfs fs(2);
  const auto writer = fs.open("/log", options(2));
  ASSERT_TRUE(fs.run(writer->write("abc")).has_value());
  ASSERT_TRUE(fs.run(writer->flush()).has_value());
  fs.nodes[0]->faults.restarted = true;
  EXPECT_EQ(fs.read("/log"), "abc");
  fs.nodes[1]->faults.restarted = true;
  EXPECT_EQ(fs.read("/log"), "(error)");
  EXPECT_THAT(fs.error, HasSubstr("does not know how much of it is valid"));
}

TEST(FileWriter, TheWindowBoundsWhatIsInMemory) {
  FakeHdfs fs(1);
  fs.nodes[0]->faults.silent = true;
  WriterOptions small = options(1);
  small.packets_max = 4;
  const auto writer = fs.open("/f", small);
  const std::string bytes = sample_bytes(9000);
  std::optional<Status> done;
  const auto writing =
      rt::start(fs.loop, writer->write(bytes), [&](Status status) { done = std::move(status); });
  fs.loop.advance(std::chrono::seconds(10));
  EXPECT_FALSE(done.has_value());
}

TEST(FileWriter, ANodeThatRefusesIsReplaced) {
  FakeHdfs fs(3);
  fs.nodes[1]->faults.refuse_writes = true;
  const std::string bytes = sample_bytes(5000);
  ASSERT_TRUE(fs.write("/f", bytes, options(2)).has_value());
  EXPECT_TRUE(fs.name_node.content("/f") == bytes);
  EXPECT_EQ(current_replicas(fs, "/f"), 2U);
  EXPECT_EQ(fs.name_node.calls["abandonBlock"], 1);
}

TEST(FileWriter, SurvivesANodeThatDiesAtAnyPacket) {
  for (int node = 0; node < 2; ++node) {
    for (int packet = 0; packet < 6; ++packet) {
      FakeHdfs fs(2);
      fs.nodes[node]->faults.die_at_packet = packet;
      const std::string bytes = sample_bytes(5000);
      const Status written = fs.write("/f", bytes, options(2));
      ASSERT_TRUE(written.has_value()) << node << " " << packet << written.error().message;
      EXPECT_TRUE(fs.name_node.content("/f") == bytes) << node << " " << packet;
      EXPECT_EQ(current_replicas(fs, "/f"), 1U);
    }
  }
}

TEST(FileWriter, SurvivesANodeThatDiesWhileTheBlockCloses) {
  for (int node = 0; node < 2; ++node) {
    FakeHdfs fs(2);
    fs.nodes[node]->faults.die_at_last_packet = true;
    const std::string bytes = sample_bytes(5000);
    const Status written = fs.write("/f", bytes, options(2));
    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_TRUE(fs.name_node.content("/f") == bytes);
    EXPECT_EQ(current_replicas(fs, "/f"), 1U);
  }
}

TEST(FileWriter, ANodeThatDiesBeforeItIsAskedIsExcluded) {
  FakeHdfs fs(3);
  fs.nodes[0]->die();
  const std::string bytes = sample_bytes(5000);
  ASSERT_TRUE(fs.write("/f", bytes, options(2)).has_value());
  EXPECT_TRUE(fs.name_node.content("/f") == bytes);
  EXPECT_EQ(current_replicas(fs, "/f"), 2U);
}

TEST(FileWriter, WithThreeReplicasALostNodeIsReplaced) {
  FakeHdfs fs(4);
  fs.nodes[0]->faults.die_at_packet = 3;
  WriterOptions always = options(3);
  always.replacing = Replacing::Always;
  const std::string bytes = sample_bytes(5000);
  const Status written = fs.write("/f", bytes, always);
  ASSERT_TRUE(written.has_value()) << written.error().message;
  EXPECT_TRUE(fs.name_node.content("/f") == bytes);
  EXPECT_EQ(current_replicas(fs, "/f"), 3U);
}

TEST(FileWriter, SurvivesANodeThatDiesWhileThePipelineIsOpenedAgain) {
  for (const size_t second : {1U, 2U}) {
    FakeHdfs fs(3);
    fs.nodes[0]->faults.die_at_packet = 2;
    fs.nodes[second]->faults.die_at_recovery = true;
    WriterOptions three = options(3);
    three.replacing = Replacing::Never;
    const std::string bytes = sample_bytes(5000);
    const Status written = fs.write("/f", bytes, three);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_TRUE(fs.name_node.content("/f") == bytes);
    EXPECT_EQ(current_replicas(fs, "/f"), 1U);
  }
}

TEST(FileWriter, WithoutAReplacementItStopsOrGoesOnAsItIsTold) {
  for (const bool best_effort : {false, true}) {
    FakeHdfs fs(4);
    fs.nodes[0]->faults.die_at_packet = 2;
    for (const auto& node : fs.nodes) {
      node->faults.refuse_copies = true;
    }
    WriterOptions always = options(3);
    always.replacing = Replacing::Always;
    always.replace_best_effort = best_effort;
    const std::string bytes = sample_bytes(5000);
    const Status written = fs.write("/f", bytes, always);
    EXPECT_EQ(written.has_value(), best_effort);
    if (best_effort) {
      EXPECT_TRUE(fs.name_node.content("/f") == bytes);
    } else {
      EXPECT_THAT(written.error().message, HasSubstr("no DataNode can replace"));
    }
  }
}

TEST(FileWriter, ARestartingNodeIsWaitedFor) {
  FakeHdfs fs(1);
  fs.nodes[0]->faults.restart_at_packet_2 = true;
  const std::string bytes = sample_bytes(5000);
  const Status written = fs.write("/f", bytes, options(1));
  ASSERT_TRUE(written.has_value()) << written.error().message;
  EXPECT_TRUE(fs.name_node.content("/f") == bytes);
}

TEST(FileWriter, NoNodeLeftSaysWhy) {
  FakeHdfs fs(1);
  fs.nodes[0]->faults.die_at_packet = 2;
  const Status written = fs.write("/f", sample_bytes(5000), options(1));
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().message, HasSubstr("cannot write /f: its DataNodes failed"));
}

TEST(FileWriter, FullDisksAreToldApart) {
  FakeHdfs fs(1);
  fs.nodes[0]->faults.refuse_writes = true;
  const Status written = fs.write("/f", sample_bytes(100), options(1));
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, Errc::OutOfSpace);
}

TEST(FileWriter, CompleteIsAskedAgain) {
  FakeHdfs fs(1);
  fs.name_node.complete_refusals = 3;
  ASSERT_TRUE(fs.write("/f", "abc", options(1)).has_value());
  EXPECT_EQ(fs.name_node.calls["complete"], 4);
  fs.name_node.complete_refusals = 100;
  const Status written = fs.write("/g", "abc", options(1));
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().message, HasSubstr("cannot close /g"));
}

TEST(FileWriter, IdlePipelinesAndLeasesAreKept) {
  FakeHdfs fs(2);
  const auto writer = fs.open("/log", options(2));
  ASSERT_TRUE(fs.run(writer->write("first")).has_value());
  ASSERT_TRUE(fs.run(writer->flush()).has_value());
  fs.loop.advance(std::chrono::minutes(10));
  EXPECT_GE(fs.nodes[1]->heartbeats, 10);
  EXPECT_GE(fs.name_node.calls["renewLease"], 10);
  ASSERT_TRUE(fs.run(writer->write("second")).has_value());
  ASSERT_TRUE(fs.run(writer->close()).has_value());
  EXPECT_EQ(fs.read("/log"), "firstsecond");
}

TEST(FileWriter, ANodeThatDiesBetweenFlushesIsReplacedByTheRest) {
  FakeHdfs fs(2);
  const auto writer = fs.open("/log", options(2));
  ASSERT_TRUE(fs.run(writer->write("first")).has_value());
  ASSERT_TRUE(fs.run(writer->flush()).has_value());
  fs.nodes[0]->die();
  fs.loop.advance(std::chrono::seconds(5));
  ASSERT_TRUE(fs.run(writer->write("second")).has_value());
  ASSERT_TRUE(fs.run(writer->flush()).has_value());
  EXPECT_EQ(fs.read("/log"), "firstsecond");
}

TEST(FileWriter, ANodeThatFailedGetsBlocksAgainLater) {
  FakeHdfs fs(2);
  fs.nodes[0]->faults.die_at_packet = 1;
  const auto writer = fs.open("/log", options(2));
  ASSERT_TRUE(fs.run(writer->write(sample_bytes(5000))).has_value());
  ASSERT_TRUE(fs.run(writer->flush()).has_value());
  fs.nodes[0]->live();
  fs.loop.advance(std::chrono::minutes(11));
  ASSERT_TRUE(fs.run(writer->write(sample_bytes(10'240))).has_value());
  ASSERT_TRUE(fs.run(writer->close()).has_value());
  EXPECT_EQ(current_replicas(fs, "/log"), 2U);
}

TEST(FileWriter, SomebodyElsesFileIsToldApart) {
  FakeHdfs fs(1);
  const auto writer = fs.open("/log", options(1));
  fs.name_node.files["/log"].holder = "another";
  ASSERT_TRUE(fs.run(writer->write("x")).has_value());
  const Status flushed = fs.run(writer->flush());
  ASSERT_FALSE(flushed.has_value());
  EXPECT_EQ(flushed.error().code, Errc::Cancelled);
}

}  // namespace
}  // namespace muster::hadoop::hdfs
