#pragma once

#include "hadoop/token.h"
#include "hadoop/yarn/container.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::yarn {

enum class ApplicationState : uint8_t {
  Unknown,  ///< A state that this program has no word for.
  New,
  NewSaving,
  Submitted,
  Accepted,  ///< Waits for its master's container, or for the master to register.
  Running,
  Finished,
  Failed,
  Killed,
};

/// The result as the application master told it.
enum class FinalStatus : uint8_t { Undefined, Succeeded, Failed, Killed, Ended };

struct ResourceUse {
  int32_t containers = 0;
  int32_t reserved_containers = 0;
  Resource used;
  Resource reserved;
  Resource needed;
  int64_t memory_mb_seconds = 0;
  int64_t vcore_seconds = 0;
  float queue_percent = 0;
  float cluster_percent = 0;

  bool operator==(const ResourceUse&) const = default;
};

/// What the resource manager tells of an application. Times in ms since 1970, 0 while unknown.
struct ApplicationReport {
  ApplicationId id;
  std::optional<AttemptId> attempt;  ///< The current one.
  std::string user;
  std::string queue;
  std::string name;
  std::string type;
  std::vector<std::string> tags;
  ApplicationState state = ApplicationState::Unknown;
  FinalStatus final_status = FinalStatus::Undefined;
  std::string diagnostics;
  std::string host;  ///< Where the master says it listens; "N/A" before.
  int32_t rpc_port = -1;
  std::string tracking_url;           ///< Through the cluster's proxy.
  std::string original_tracking_url;  ///< As the master gave it.
  float progress = 0;
  int32_t priority = 0;
  std::string node_label;
  std::string master_node_label;
  bool unmanaged = false;
  int64_t submitted_ms = 0;
  int64_t launched_ms = 0;
  int64_t started_ms = 0;
  int64_t finished_ms = 0;
  std::optional<int64_t> lifetime_left_s;  ///< Where a lifetime is set.
  ResourceUse use;
  std::optional<Token> client_token;  ///< Secure clusters: for a client to speak to the master.
  std::optional<Token> master_token;  ///< Unmanaged masters: what they register with.

  bool operator==(const ApplicationReport&) const = default;
};

enum class AttemptState : uint8_t {
  Unknown,
  New,
  Submitted,
  Scheduled,
  AllocatedSaving,
  Allocated,
  Launched,
  Failed,
  Running,
  Finishing,
  Finished,
  Killed,
};

struct AttemptReport {
  AttemptId id;
  AttemptState state = AttemptState::Unknown;
  std::optional<ContainerId> master_container;
  std::string host;
  int32_t rpc_port = -1;
  std::string tracking_url;
  std::string original_tracking_url;
  std::string diagnostics;
  int64_t started_ms = 0;
  int64_t finished_ms = 0;

  bool operator==(const AttemptReport&) const = default;
};

/// A container as clients see it.
struct ContainerReport {
  ContainerId id;
  NodeId node;
  std::string node_http_address;
  Resource each;
  int32_t priority = 0;
  ContainerState state = ContainerState::Unknown;
  int32_t exit_status = 0;
  std::string diagnostics;
  std::string log_url;
  int64_t created_ms = 0;
  int64_t finished_ms = 0;

  bool operator==(const ContainerReport&) const = default;
};

/// Counts of nodes.
struct ClusterMetrics {
  int32_t nodes = 0;
  int32_t active = 0;
  int32_t lost = 0;
  int32_t unhealthy = 0;
  int32_t rebooted = 0;
  int32_t decommissioning = 0;
  int32_t decommissioned = 0;
  int32_t shut_down = 0;

  bool operator==(const ClusterMetrics&) const = default;
};

[[nodiscard]] std::string_view to_string(ApplicationState state);
[[nodiscard]] std::string_view to_string(FinalStatus status);
[[nodiscard]] std::string_view to_string(AttemptState state);

/// Tells whether the application is over: nothing of it changes any more.
[[nodiscard]] bool is_over(ApplicationState state);

}  // namespace muster::hadoop::yarn
