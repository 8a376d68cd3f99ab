#pragma once

#include "cluster/agent_launch.h"
#include "rt/fd.h"

#include <vector>

namespace muster::cluster {

/// What a keeper finds in its container if the cluster itself starts keepers, on hosts that no
/// other process of Muster reaches first.
struct ContainerEntry {
  AgentLaunch launch;
  /// What belongs to the container alone for as long as the keeper, or a fork of it, has it open.
  std::vector<rt::Fd> held;
};

}  // namespace muster::cluster
