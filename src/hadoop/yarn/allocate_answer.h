#pragma once

#include "hadoop/yarn/container.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/request.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// Opens connections to one node manager.
struct NodeToken {
  NodeId node;
  Token token;

  bool operator==(const NodeToken&) const = default;
};

/// Containers that the cluster wants back.
struct Preemption {
  std::vector<ContainerId> certain;     ///< Will be taken, whatever we do.
  std::vector<ContainerId> negotiable;  ///< Will be taken unless `resources` are given back.
  std::vector<RequestRow> resources;

  bool operator==(const Preemption&) const = default;
};

/// What old resource managers say instead of an exception.
enum class MasterCommand : uint8_t { Resync, Shutdown };

struct UpdateError {
  std::string reason;
  ContainerUpdate update;
  int32_t current_version = 0;

  bool operator==(const UpdateError&) const = default;
};

struct UpdatedContainer {
  UpdateKind kind = UpdateKind::Increase;
  Grant container;  ///< With the new version, and a token that the node manager must be shown.

  bool operator==(const UpdatedContainer&) const = default;
};

/// Where the timeline service of the application listens.
struct Collector {
  std::string address;
  std::optional<Token> token;

  bool operator==(const Collector&) const = default;
};

/// Everything that a heartbeat brings. Lists may repeat what came before (after a failover): each
/// container is handled once, by its id.
struct AllocateAnswer {
  int32_t response_id = 0;
  std::optional<MasterCommand> command;
  std::vector<Grant> granted;
  std::vector<ContainerStatus> completed;
  std::optional<Resource> headroom;  ///< What the queue would still give this application.
  std::vector<NodeReport> updated_nodes;
  int32_t cluster_nodes = 0;
  Preemption preemption;
  std::vector<NodeToken> node_tokens;  ///< For nodes that are new to this attempt.
  std::optional<Token> master_token;   ///< Replaces the application master's own, from now on.
  std::optional<int32_t> priority;     ///< Of the application.
  std::optional<Collector> collector;
  std::vector<UpdateError> update_errors;
  std::vector<UpdatedContainer> updated;
  std::vector<Grant> from_previous_attempts;  ///< Recovered late by the resource manager.
  std::vector<RejectedRequest> rejected;

  bool operator==(const AllocateAnswer&) const = default;
};

}  // namespace muster::hadoop::yarn
