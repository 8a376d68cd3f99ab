#include "cluster/yarn/client/host_rooms.h"

#include "cluster/yarn/link/container_end.h"

#include <algorithm>
#include <utility>

namespace muster::cluster::yarn {

namespace rm = hadoop::yarn;

namespace {

/// How many hosts of a large cluster are kept for the restarts of a small job.
constexpr size_t kHostsAtLeast = 100;

/// Cores are ignored: only the scheduler knows whether they count.
bool has_room(const rm::Resource& free, const rm::Resource& each) {
  return free.memory_mb >= each.memory_mb &&
         std::ranges::all_of(each.others, [&](const auto& entry) {
           return rm::amount_of(free, entry.first) >= entry.second.value;
         });
}

}  // namespace

std::vector<HostRoom> rooms_for(const job::Plan& plan, const ClusterOffer& offer) {
  if (!plan.spec.yarn.node_label.empty()) {
    return {};
  }
  std::vector<rm::Resource> shapes;
  size_t containers = 0;
  for (const job::RolePlan& role : plan.roles) {
    shapes.push_back(resource_of(container_share(plan, role)));
    containers += containers_of(role);
  }
  std::vector<HostRoom> rooms;
  for (const rm::NodeReport& node : offer.nodes) {
    rm::Resource free = node.capacity;
    rm::take_off(free, node.used);
    const bool fits = std::ranges::any_of(
        shapes, [&](const rm::Resource& shape) { return has_room(free, shape); });
    if (node.labels.empty() && fits) {
      rooms.push_back({.node = node.id, .rack = node.rack, .free = std::move(free)});
    }
  }
  std::ranges::sort(rooms, [](const HostRoom& a, const HostRoom& b) {
    return std::pair(-a.free.memory_mb, a.node) < std::pair(-b.free.memory_mb, b.node);
  });
  if (const size_t most = std::max(containers, kHostsAtLeast); rooms.size() > most) {
    rooms.resize(most);
  }
  return rooms;
}

void take_off_master(std::vector<HostRoom>& rooms, const rm::NodeId& node,
                     const spec::MasterSettings& master) {
  for (HostRoom& room : rooms) {
    if (room.node == node) {
      rm::take_off(room.free, master_share(master));
    }
  }
}

}  // namespace muster::cluster::yarn
