#pragma once

#include "base/result.h"
#include "cluster/link.h"
#include "cluster/yarn/link/link_deps.h"
#include "cluster/yarn/staging/staged_file.h"
#include "hadoop/yarn/container_starter.h"
#include "hadoop/yarn/container_stopper.h"
#include "hadoop/yarn/node_connections.h"
#include "job/plan.h"
#include "rt/async.h"

#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// Starts keeper and agent in granted containers, and has nodes kill them. The launch order travels
/// in the container's credentials.
class ContainerLauncher {
 public:
  /// `plan` and `deps` outlive this; `files` are for every container.
  ContainerLauncher(const LinkDeps& deps, const job::Plan& plan, std::vector<StagedFile> files,
                    hadoop::yarn::NodeDialSettings dialing);

  /// Takes tokens for nodes, as registration and heartbeats bring them.
  void learn(const std::vector<hadoop::yarn::NodeToken>& tokens) { nodes_.learn(tokens); }
  /// Starts the agent of `role`. Errors are ContainerStarter's, and those of resolving the host's
  /// name.
  [[nodiscard]] rt::Async<Status> launch(LaunchOrder order, hadoop::yarn::Grant grant,
                                         job::RoleIndex role);

  /// Has the container's node kill it, and asks whether it is gone. Errors are ContainerStopper's.
  [[nodiscard]] rt::Async<Result<hadoop::yarn::ContainerStopper::Fate>> stop(
      hadoop::yarn::Grant grant);

 private:
  [[nodiscard]] hadoop::yarn::LaunchContext context_of(const LaunchOrder& order,
                                                       const hadoop::yarn::Grant& grant,
                                                       job::RoleIndex role,
                                                       std::string listen_host) const;

  const LinkDeps& deps_;
  const job::Plan& plan_;
  std::vector<StagedFile> files_;
  hadoop::yarn::NodeConnections nodes_;
  hadoop::yarn::ContainerStarter starter_;
  hadoop::yarn::ContainerStopper stopper_;
};

}  // namespace muster::cluster::yarn
