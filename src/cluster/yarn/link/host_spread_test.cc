#include "cluster/yarn/link/host_spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr rm::AttemptId kAttempt{.application = {.cluster_timestamp = 1, .number = 1}, .number = 1};

rm::ContainerId container(int64_t number) { return {.attempt = kAttempt, .number = number}; }

HostRoom room(int64_t memory_mb, int32_t vcores = 8, int64_t gpus = 0) {
  HostRoom room{.node = {}, .rack = "/r1", .free = {.memory_mb = memory_mb, .vcores = vcores}};
  if (gpus > 0) {
    room.free.others[std::string(rm::kGpu)] = {.value = gpus, .unit = {}};
  }
  return room;
}

rm::Resource shape(int64_t memory_mb, int32_t vcores = 1) {
  return {.memory_mb = memory_mb, .vcores = vcores};
}

std::map<std::string, int> counted(const std::vector<std::string>& hosts) {
  std::map<std::string, int> counts;
  for (const std::string& host : hosts) {
    ++counts[host];
  }
  return counts;
}

TEST(HostSpread, WishesTheSameNumberOnEachHostThoseWithMoreMemoryFirst) {
  const HostSpread spread({{"a", room(4000)}, {"b", room(9000)}, {"c", room(8000)}});
  EXPECT_THAT(spread.spread(5, shape(100), {}, {}), ElementsAre("b", "c", "a", "b", "c"));
}

TEST(HostSpread, WishesNoMoreThanFit) {
  HostSpread spread({{"a", room(4000)}, {"b", room(1999)}, {"c", room(9000, 2)}});
  EXPECT_THAT(counted(spread.spread(8, shape(1000), {}, {})),
              UnorderedElementsAre(Pair("a", 4), Pair("b", 1), Pair("c", 2), Pair("", 1)));
  spread.count_vcores(false);
  EXPECT_THAT(counted(spread.spread(8, shape(1000), {}, {})),
              UnorderedElementsAre(Pair("a", 3), Pair("b", 1), Pair("c", 4)));
}

TEST(HostSpread, CountsGpusAndWhatHostsDoNotHave) {
  const HostSpread spread({{"a", room(9000)}, {"b", room(9000, 8, 2)}});
  rm::Resource each = shape(100);
  each.others[std::string(rm::kGpu)] = {.value = 1, .unit = {}};
  EXPECT_THAT(spread.spread(3, each, {}, {}), ElementsAre("b", "b", ""));
}

TEST(HostSpread, LeavesOutWhatIsAvoidedAndWhatGivesNothing) {
  HostSpread spread({{"a", room(9000)}, {"b", room(9000)}, {"c", room(9000)}});
  spread.set_usable("b", false);
  EXPECT_THAT(spread.spread(3, shape(100), {"a"}, {}), ElementsAre("c", "c", "c"));
  spread.set_usable("b", true);
  EXPECT_THAT(spread.spread(3, shape(100), {"a"}, {}), ElementsAre("b", "c", "b"));
}

TEST(HostSpread, WhatTheJobHasCountsUntilItEnds) {
  HostSpread spread({{"a", room(2000)}, {"b", room(2000)}});
  spread.took(container(1), "a", shape(1000));
  spread.took(container(1), "a", shape(1000));
  spread.took(container(2), "elsewhere", shape(1000));
  EXPECT_THAT(spread.spread(4, shape(1000), {}, {}), ElementsAre("b", "a", "b", ""));
  spread.ended(container(1));
  spread.ended(container(9));
  EXPECT_THAT(counted(spread.spread(4, shape(1000), {}, {})),
              UnorderedElementsAre(Pair("a", 2), Pair("b", 2)));
}

TEST(HostSpread, WhatIsAskedForCountsAsIfItWereThere) {
  const HostSpread spread({{"a", room(3000)}, {"b", room(3000)}});
  const std::vector<HostSpread::Use> asked(2, {.host = "a", .each = shape(1000)});
  EXPECT_THAT(spread.spread(5, shape(1000), {}, asked), ElementsAre("b", "b", "a", "b", ""));
}

TEST(HostSpread, WhereEachHostWouldGetOneAnyWillDo) {
  const HostSpread spread({{"a", room(9000)}, {"b", room(9000)}});
  EXPECT_THAT(spread.spread(2, shape(100), {}, {}), ElementsAre("", ""));
  EXPECT_THAT(spread.spread(3, shape(100), {}, {}), ElementsAre("a", "b", "a"));
}

TEST(HostSpread, WithoutHostsNothingIsWished) {
  const HostSpread spread({});
  EXPECT_THAT(spread.spread(2, shape(1), {}, {}), ElementsAre("", ""));
  EXPECT_THAT(spread.spread(0, shape(1), {}, {}), IsEmpty());
}

TEST(HostSpread, WhatTakesNothingFitsEverywhere) {
  const HostSpread spread({{"a", room(0, 0)}});
  EXPECT_THAT(spread.spread(2, shape(0, 0), {}, {}), ElementsAre("a", "a"));
}

TEST(HostSpread, NamesHostsWithTheirRacks) {
  HostSpread spread({{"n1", room(1)}, {"n2", room(1)}});
  spread.learn_rack("n2", "/r2");
  spread.learn_rack("n2", "");
  EXPECT_THAT(spread.places_of({"n2", "n1", "", "n2", "n3"}),
              ElementsAre(rm::PreferredHost{.host = "n1", .rack = "/r1", .count = 1},
                          rm::PreferredHost{.host = "n2", .rack = "/r2", .count = 2},
                          rm::PreferredHost{.host = "n3", .rack = "/default-rack", .count = 1}));
}

}  // namespace
}  // namespace muster::cluster::yarn
