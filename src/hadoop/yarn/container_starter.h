#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/yarn/container.h"
#include "hadoop/yarn/launch.h"
#include "hadoop/yarn/node_connections.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstdint>

namespace muster::hadoop::yarn {

/// Starts granted containers. `connections` must outlive the calls.
class ContainerStarter {
 public:
  ContainerStarter(rt::Loop& loop, NodeConnections& connections)
      : loop_(&loop), connections_(&connections) {}

  /// Starts `launch` in the container, by `deadline`. If the outcome of the call is unknown, asks
  /// the node what is running, so that nothing is started twice and no running container is
  /// reported as failed: a container that is already running is a success. Waits for a node manager
  /// that is just starting.
  ///
  /// Errors: Unavailable or DeadlineExceeded (the node does not answer), Unauthenticated (no valid
  /// token for it), NotFound (the grant is no longer valid), else see explanation.h.
  [[nodiscard]] rt::Async<Status> start(Grant grant, LaunchContext launch, HostTime deadline);

 private:
  enum class Fate : uint8_t { Started, NotYet };

  [[nodiscard]] rt::Async<Result<Fate>> start_once(const Grant* grant, const LaunchContext* launch,
                                                   HostTime deadline);
  [[nodiscard]] rt::Async<Result<Fate>> ask_fate(const Grant* grant, HostTime deadline);

  rt::Loop* loop_;
  NodeConnections* connections_;
};

}  // namespace muster::hadoop::yarn
