#pragma once

#include "job/ids.h"
#include "sim/core/truth.h"
#include "sim/world.h"

namespace muster::sim {

/// What becomes of the processes on a host that is lost.
struct HostLoss {
  bool lives_on = false;  ///< They live on, cut off from everybody, instead of dying with it.
  Duration alone{};       ///< How long: until the host hears that the cluster counts it as lost.
};

/// Applies that to one container of the host. `Around` is what a model of a cluster has around it,
/// and outlives the world's events.
template <class Around>
void lose_with_host(Around& around, const job::ContainerId& container, const HostLoss& loss) {
  around.truth.origin_containers.insert(container);
  if (!loss.lives_on) {
    around.end_agent(container, TrueEnd::Origin);
    return;
  }
  around.isolate(container, loss.alone);
  around.world.after(loss.alone,
                     [&around, container] { around.end_agent(container, TrueEnd::Origin); });
}

}  // namespace muster::sim
