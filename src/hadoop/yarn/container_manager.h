#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/yarn/node_answers.h"
#include "hadoop/yarn/node_connections.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <map>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// What an application master asks of node managers about its containers. All calls end by their
/// deadline; `connections` must outlive them. Errors for a whole call: Unavailable or
/// DeadlineExceeded (the node does not answer), Unauthenticated (no good token for it), else see
/// explanation.h.
class ContainerManager {
 public:
  ContainerManager(rt::Loop& loop, NodeConnections& connections)
      : loop_(&loop), connections_(&connections) {}

  /// Starts containers of one node in one call. When the call's fate is unknown the node is asked
  /// what runs, so that nothing is started twice and what runs is not called failed. A node manager
  /// that is just starting is waited for.
  [[nodiscard]] rt::Async<Result<ContainerOutcomes>> start(NodeId node,
                                                           std::vector<ContainerStart> starts,
                                                           HostTime deadline);
  /// Ends containers: SIGTERM, and SIGKILL a quarter of a second later. Can be repeated.
  [[nodiscard]] rt::Async<Result<ContainerOutcomes>> stop(NodeId node,
                                                          std::vector<ContainerId> containers,
                                                          HostTime deadline);
  [[nodiscard]] rt::Async<Result<ContainerStatuses>> statuses(NodeId node,
                                                              std::vector<ContainerId> containers,
                                                              HostTime deadline);
  /// Shows new tokens of containers that were updated (UpdatedContainer) to their node.
  [[nodiscard]] rt::Async<Result<ContainerOutcomes>> update(NodeId node, std::vector<Token> tokens,
                                                            HostTime deadline);

  /// Adds files to a running container; they appear beside its process some time later.
  [[nodiscard]] rt::Async<Status> localize(NodeId node, ContainerId container,
                                           std::map<std::string, LocalResource> files,
                                           HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::vector<Localization>>> localizations(NodeId node,
                                                                           ContainerId container,
                                                                           HostTime deadline);

  /// Starts something else in the same container. Without `commit` the old process' files are kept
  /// until commit(), and roll_back() returns to it.
  [[nodiscard]] rt::Async<Status> reinitialize(NodeId node, ContainerId container,
                                               LaunchContext launch, bool commit,
                                               HostTime deadline);
  [[nodiscard]] rt::Async<Status> commit(NodeId node, ContainerId container, HostTime deadline);
  [[nodiscard]] rt::Async<Status> roll_back(NodeId node, ContainerId container, HostTime deadline);
  /// Ends the container's process and starts the same anew.
  [[nodiscard]] rt::Async<Status> restart(NodeId node, ContainerId container, HostTime deadline);

 private:
  [[nodiscard]] rt::Async<Status> start_once(const NodeId* node,
                                             std::vector<ContainerStart>* pending,
                                             ContainerOutcomes* outcomes, HostTime deadline);
  [[nodiscard]] rt::Async<Status> sort_out(const NodeId* node, std::vector<ContainerStart>* pending,
                                           ContainerOutcomes* outcomes, HostTime deadline);
  template <class Reply>
  [[nodiscard]] rt::Async<Status> change(NodeId node, ContainerId container,
                                         std::string_view method, std::string what,
                                         HostTime deadline);

  rt::Loop* loop_;
  NodeConnections* connections_;
};

}  // namespace muster::hadoop::yarn
