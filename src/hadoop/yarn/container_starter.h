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

/// Starts containers that were granted. `connections` must outlive the calls.
class ContainerStarter {
 public:
  ContainerStarter(rt::Loop& loop, NodeConnections& connections)
      : loop_(&loop), connections_(&connections) {}

  /// Starts `launch` in the container, by `deadline`. When the fate of the call is unknown the node
  /// is asked what runs, so that nothing is started twice and what runs is not called failed: a
  /// container that runs already is a success. A node manager that is just starting is waited for.
  ///
  /// Errors: Unavailable or DeadlineExceeded (the node does not answer), Unauthenticated (no good
  /// token for it), NotFound (the grant is no longer good), else see explanation.h.
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
