#pragma once

#include "cluster/cluster.h"
#include "spec/spec.h"

#include <string>
#include <vector>

namespace muster::client {

/// What earlier jobs on a cluster suggest about where a new one should run, in lines for people.
struct HostNotes {
  std::vector<std::string> avoided;   ///< One host each, with the reason.
  std::vector<std::string> troubles;  ///< What could not be read.
};

/// Adds the hosts that harmed earlier jobs to the job's `hosts.avoid`, if the job wants that. No
/// failure here keeps a job from running.
[[nodiscard]] HostNotes take_host_notes(cluster::Cluster& cluster, spec::Spec& spec, WallTime now);

}  // namespace muster::client
