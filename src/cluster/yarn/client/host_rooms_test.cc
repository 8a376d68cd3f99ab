#include "cluster/yarn/client/host_rooms.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::cluster::yarn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Workers of 1 GiB each, with their agents.
job::Plan plan_of(uint32_t tasks) {
  job::Plan plan;
  job::RolePlan role;
  role.name = "worker";
  role.tasks = tasks;
  role.resources = {.memory_bytes = 1ULL << 30, .vcores = 1, .gpus = 0};
  plan.roles.push_back(role);
  return plan;
}

hadoop::yarn::NodeReport node(const std::string& host, int64_t memory_mb, int64_t used_mb) {
  return {.id = {.host = host, .port = 1},
          .http_address = {},
          .used = {.memory_mb = used_mb, .vcores = 1},
          .capacity = {.memory_mb = memory_mb, .vcores = 4},
          .state = hadoop::yarn::NodeState::Running,
          .health = {},
          .labels = {},
          .rack = "/r1"};
}

std::vector<std::string> hosts_of(const std::vector<HostRoom>& rooms) {
  std::vector<std::string> hosts;
  for (const HostRoom& room : rooms) {
    hosts.push_back(room.node.host);
  }
  return hosts;
}

TEST(HostRooms, AreWhatIsFreeTheLargestFirst) {
  ClusterOffer offer;
  offer.nodes = {node("full", 8192, 8000), node("small", 4096, 0), node("large", 16384, 4096),
                 node("alike", 4096, 0)};
  const std::vector<HostRoom> rooms = rooms_for(plan_of(2), offer);
  EXPECT_THAT(hosts_of(rooms), ElementsAre("large", "alike", "small"));
  EXPECT_EQ(rooms[0].free, (hadoop::yarn::Resource{.memory_mb = 12288, .vcores = 3}));
  EXPECT_EQ(rooms[0].rack, "/r1");
}

TEST(HostRooms, LeaveOutHostsWithLabelsAndWithoutGpus) {
  ClusterOffer offer;
  offer.nodes = {node("labelled", 4096, 0), node("taken", 4096, 0), node("free", 4096, 0),
                 node("plain", 4096, 0)};
  offer.nodes[0].labels = {"gpu"};
  for (auto& each : offer.nodes) {
    each.capacity.others["yarn.io/gpu"] = {.value = 2, .unit = {}};
  }
  offer.nodes[1].used.others["yarn.io/gpu"] = {.value = 2, .unit = {}};
  offer.nodes[3].capacity.others.clear();
  job::Plan plan = plan_of(2);
  plan.roles[0].resources.gpus = 1;
  EXPECT_THAT(hosts_of(rooms_for(plan, offer)), ElementsAre("free"));
  plan.spec.yarn.node_label = "gpu";
  EXPECT_THAT(rooms_for(plan, offer), IsEmpty());
}

TEST(HostRooms, AreNoMoreThanTheJobCanUse) {
  ClusterOffer offer;
  for (int i = 0; i < 300; ++i) {
    offer.nodes.push_back(node(fmt::format("n{}", i), 4096, 0));
  }
  EXPECT_EQ(rooms_for(plan_of(2), offer).size(), 100U);
  EXPECT_EQ(rooms_for(plan_of(200), offer).size(), 200U);
  EXPECT_EQ(rooms_for(plan_of(500), offer).size(), 300U);
}

TEST(HostRooms, AreLessByTheMasterWhereItRuns) {
  const auto room = [](const std::string& host, int32_t port) {
    return HostRoom{.node = {.host = host, .port = port},
                    .rack = "/r1",
                    .free = {.memory_mb = 4096, .vcores = 4}};
  };
  const std::vector<HostRoom> all = {room("a", 1), room("b", 1), room("b", 2)};
  std::vector<HostRoom> rooms = all;
  const spec::MasterSettings master{.memory = 1ULL << 30, .vcores = 2};
  take_off_master(rooms, {.host = "b", .port = 2}, master);
  EXPECT_EQ(rooms[0], all[0]);
  EXPECT_EQ(rooms[1], all[1]);
  EXPECT_EQ(rooms[2].free, (hadoop::yarn::Resource{.memory_mb = 3072, .vcores = 2}));
  rooms = all;
  take_off_master(rooms, {.host = "c", .port = 1}, master);
  EXPECT_EQ(rooms, all);
}

}  // namespace
}  // namespace muster::cluster::yarn
