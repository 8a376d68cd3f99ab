#pragma once

#include "cluster/yarn/client/fit.h"
#include "cluster/yarn/staging/host_room.h"
#include "job/plan.h"

#include <vector>

namespace muster::cluster::yarn {

/// Returns the hosts that have room for a container of the plan now, those with the most free
/// memory first: no more than the job has containers, plus a hundred for later. None for a job with
/// a node label of its own, whose containers run where that label is.
[[nodiscard]] std::vector<HostRoom> rooms_for(const job::Plan& plan, const ClusterOffer& offer);

/// Takes what the job's master uses off the room of its host, where it was placed after the client
/// had looked. Several nodes of one host differ by their ports. Nothing changes if it is none of
/// `rooms`.
void take_off_master(std::vector<HostRoom>& rooms, const hadoop::yarn::NodeId& node,
                     const spec::MasterSettings& master);

}  // namespace muster::cluster::yarn
