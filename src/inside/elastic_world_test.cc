#include "inside/elastic_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::inside {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Place = ElasticWorld::Place;

/// Returns three members that run in round 1.
ElasticWorld three(size_t members_min = 2) {
  ElasticWorld world(members_min);
  world.see({{0, "h:1"}, {1, "h:2"}, {2, "h:3"}});
  for (const uint32_t index : {2, 0, 1}) {
    world.arrive(index, 1);
  }
  EXPECT_TRUE(world.settle());
  return world;
}

TEST(ElasticWorld, BeginsWhenAllOfTheViewHaveArrived) {
  ElasticWorld world(1);
  world.see({{0, "h:1"}, {1, "h:2"}});
  world.arrive(1, 1);
  EXPECT_FALSE(world.settle());
  EXPECT_EQ(world.place_of(1), std::nullopt);
  world.arrive(0, 1);
  EXPECT_TRUE(world.settle());
  EXPECT_EQ(world.place_of(0), (Place{.rank = 0, .size = 2}));
  EXPECT_EQ(world.place_of(1), (Place{.rank = 1, .size = 2}));
  EXPECT_FALSE(world.settle()) << "nobody waits";
}

TEST(ElasticWorld, GoesOnWithoutWhoeverNeverComes) {
  ElasticWorld world(1);
  world.see({{0, "h:1"}, {1, "h:2"}});
  world.arrive(1, 1);
  EXPECT_TRUE(world.settle(true));
  EXPECT_THAT(world.ranks(), ElementsAre(1));
}

TEST(ElasticWorld, GoesOnWithFewerAndKeepsTheirOrder) {
  ElasticWorld world = three();
  world.ask_again(2);
  EXPECT_FALSE(world.settle()) << "0 and 1 still run";
  world.leave(0, 1);
  EXPECT_FALSE(world.settle()) << "1 still runs";
  world.ask_again(1);
  EXPECT_TRUE(world.settle());
  EXPECT_THAT(world.ranks(), ElementsAre(1, 2));
}

TEST(ElasticWorld, WaitsForItsMinimum) {
  ElasticWorld world = three(3);
  world.leave(2, 1);
  world.ask_again(0);
  world.ask_again(1);
  EXPECT_FALSE(world.settle());
  EXPECT_FALSE(world.settle(true));
  world.arrive(2, 2);
  EXPECT_TRUE(world.settle());
  EXPECT_EQ(world.ranks().size(), 3U);
}

TEST(ElasticWorld, ANewcomerNeverGetsRankZeroOfThoseThatRan) {
  ElasticWorld world = three();
  world.leave(0, 1);
  world.ask_again(1);
  world.ask_again(2);
  ASSERT_TRUE(world.settle());
  world.see({{0, "h:9"}, {1, "h:2"}, {2, "h:3"}});
  world.arrive(0, 2);
  EXPECT_FALSE(world.settle()) << "the others run";
  EXPECT_THAT(world.newcomers(), ElementsAre(0));
  EXPECT_EQ(world.place_of(0), std::nullopt);
  world.ask_again(2);
  world.ask_again(1);
  EXPECT_TRUE(world.settle());
  EXPECT_THAT(world.ranks(), ElementsAre(1, 2, 0));
  EXPECT_THAT(world.newcomers(), IsEmpty());
}

TEST(ElasticWorld, AReplacementThatIsThereFirstDoesNotTakeThePlaceOfTheLost) {
  ElasticWorld world = three();
  world.arrive(0, 2);  // The end of its predecessor is noticed later.
  world.leave(0, 1);
  EXPECT_EQ(world.place_of(0), std::nullopt);
  world.ask_again(1);
  world.ask_again(2);
  EXPECT_TRUE(world.settle());
  EXPECT_THAT(world.ranks(), ElementsAre(1, 2, 0));
}

TEST(ElasticWorld, WaitsForAReplacementThatIsOnItsWay) {
  ElasticWorld world = three();
  world.leave(1, 1);
  world.see({{0, "h:1"}, {1, "h:7"}, {2, "h:3"}});
  world.ask_again(0);
  world.ask_again(2);
  EXPECT_FALSE(world.settle());
  EXPECT_TRUE(world.settle(true));
  EXPECT_THAT(world.ranks(), ElementsAre(0, 2));
}

TEST(ElasticWorld, WhoHasEndedIsNotWaitedFor) {
  ElasticWorld world = three(1);
  world.leave(0, 1);
  world.leave(1, 1);
  world.ask_again(2);
  EXPECT_TRUE(world.settle());
  EXPECT_EQ(world.place_of(2), (Place{.rank = 0, .size = 1}));
}

}  // namespace
}  // namespace muster::inside
