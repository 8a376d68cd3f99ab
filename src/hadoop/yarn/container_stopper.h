#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/node_connections.h"
#include "rt/async.h"

#include <cstdint>

namespace muster::hadoop::yarn {

/// Ends containers at their nodes, and sees them end. The resource manager calls a container that
/// is given back completed before its node has heard of it. `connections` must outlive the calls.
class ContainerStopper {
 public:
  enum class Fate : uint8_t {
    Ending,  ///< The node has begun to kill it, or still does.
    Gone,    ///< Its first process has ended, or the node knows of none.
  };

  explicit ContainerStopper(NodeConnections& connections) : connections_(&connections) {}

  /// Has the node kill the container, which does not wait for its end, and asks what has become of
  /// it. Repeating it does no harm. Errors: those of ContainerStarter.
  [[nodiscard]] rt::Async<Result<Fate>> stop(ContainerId id, NodeId node, HostTime deadline);

 private:
  [[nodiscard]] rt::Async<Result<Fate>> look(ContainerId id, NodeId node, HostTime deadline);

  NodeConnections* connections_;
};

}  // namespace muster::hadoop::yarn
