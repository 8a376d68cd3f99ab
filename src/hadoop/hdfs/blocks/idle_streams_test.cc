#include "hadoop/hdfs/blocks/idle_streams.h"

#include "testing/fake_loop.h"
#include "testing/memory_stream.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::hadoop::hdfs {
namespace {

using std::chrono::seconds;

struct World {
  explicit World(IdleStreamsOptions options) : idle(loop, options) {}

  static Datanode node(int index) {
    Datanode node;
    node.ip = "10.0.0." + std::to_string(index);
    node.uuid = "uuid-" + std::to_string(index);
    node.data_port = 9866;
    return node;
  }
  DataStream* keep(int index) {
    auto [ours, theirs] = testing::memory_streams(loop, "client", "node");
    auto stream = std::make_unique<DataStream>(loop, std::move(ours), seconds(60));
    DataStream* const kept = stream.get();
    idle.keep(node(index), std::move(stream));
    peers.push_back(std::move(theirs));
    return kept;
  }

  testing::FakeLoop loop;
  std::vector<std::unique_ptr<net::Stream>> peers;
  IdleStreams idle;
};

TEST(IdleStreams, GivesTheNewestOfANode) {
  World world({});
  world.keep(1);
  DataStream* const newer = world.keep(1);
  world.keep(2);
  EXPECT_EQ(world.idle.take(World::node(1)).get(), newer);
  EXPECT_NE(world.idle.take(World::node(1)), nullptr);
  EXPECT_EQ(world.idle.take(World::node(1)), nullptr);
  EXPECT_EQ(world.idle.size(), 1U);
}

TEST(IdleStreams, KeepsSoManyAndDropsTheOldest) {
  World world({.streams_max = 2});
  world.keep(1);
  world.keep(2);
  world.keep(3);
  EXPECT_EQ(world.idle.size(), 2U);
  EXPECT_EQ(world.idle.take(World::node(1)), nullptr);
}

TEST(IdleStreams, KeepsNoneWhereNoneAreWanted) {
  World world({.streams_max = 0});
  world.keep(1);
  EXPECT_EQ(world.idle.size(), 0U);
}

TEST(IdleStreams, ClosesEachAfterItsTime) {
  World world({.idle_max = seconds(3)});
  world.keep(1);
  world.loop.advance(seconds(2));
  world.keep(2);
  world.loop.advance(seconds(2));
  EXPECT_EQ(world.idle.size(), 1U);
  world.loop.advance(seconds(2));
  EXPECT_EQ(world.idle.size(), 0U);
  world.keep(1);
  EXPECT_EQ(world.idle.size(), 1U);
}

TEST(IdleStreams, ANodeAtAnotherAddressIsAnother) {
  World world({});
  world.keep(1);
  Datanode moved = World::node(1);
  moved.data_port = 9999;
  EXPECT_EQ(world.idle.take(moved), nullptr);
  world.keep(2);
  world.idle.drop(World::node(1));
  EXPECT_EQ(world.idle.size(), 1U);
}

}  // namespace
}  // namespace muster::hadoop::hdfs
