#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/node_connections.h"
#include "rt/async.h"

#include <cstdint>

namespace muster::hadoop::yarn {

/// Ends containers through their nodes and learns when they have ended. The resource manager
/// reports a released container as completed before its node has even heard of the release.
/// `connections` must outlive the calls.
class ContainerStopper {
 public:
  enum class Fate : uint8_t {
    Ending,  ///< The node has begun to kill it, or is still at it.
    Gone,    ///< Its first process has ended, or the node does not know it.
  };

  explicit ContainerStopper(NodeConnections& connections) : connections_(&connections) {}

  /// Has the node kill the container, without waiting for its end, and asks for its state.
  /// Repeating it does no harm. Errors are those of ContainerStarter.
  [[nodiscard]] rt::Async<Result<Fate>> stop(ContainerId id, NodeId node, HostTime deadline);

 private:
  [[nodiscard]] rt::Async<Result<Fate>> look(ContainerId id, NodeId node, HostTime deadline);

  NodeConnections* connections_;
};

}  // namespace muster::hadoop::yarn
