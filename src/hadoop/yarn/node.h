#pragma once

#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::yarn {

enum class NodeState : uint8_t {
  Unknown,  ///< A state that this program has no word for.
  New,
  Running,
  Unhealthy,
  Decommissioned,
  Lost,
  Rebooted,
  Decommissioning,
  Shutdown,
};

/// What a node's processes use, measured by its node manager.
struct NodeUse {
  int32_t memory_mb = 0;
  int32_t virtual_memory_mb = 0;
  float cores = 0;

  bool operator==(const NodeUse&) const = default;
};

struct NodeAttribute {
  std::string prefix;
  std::string name;
  std::string value;

  bool operator==(const NodeAttribute&) const = default;
};

/// What the resource manager knows of one node.
struct NodeReport {
  NodeId id;
  std::string http_address;
  std::string rack;
  Resource used;
  Resource capacity;
  int32_t containers = 0;
  NodeState state = NodeState::Unknown;
  std::string health;  ///< Why it is unhealthy; else mostly "".
  int64_t health_time_ms = 0;
  std::vector<std::string> labels;
  std::optional<NodeUse> containers_use;
  std::optional<NodeUse> node_use;
  std::optional<uint32_t> decommissioning_timeout_s;
  std::vector<NodeAttribute> attributes;

  bool operator==(const NodeReport&) const = default;
};

struct NodeLabel {
  std::string name;
  bool exclusive = true;  ///< Only asks with this label are placed on its nodes.

  bool operator==(const NodeLabel&) const = default;
};

struct LabelsOfNode {
  NodeId node;
  std::vector<std::string> labels;

  bool operator==(const LabelsOfNode&) const = default;
};

/// Returns the lower-case word: "running", "unhealthy", "lost", ...
[[nodiscard]] std::string_view to_string(NodeState state);

/// Tells whether containers on such a node are gone or will be without being asked.
[[nodiscard]] bool is_unusable(NodeState state);

}  // namespace muster::hadoop::yarn
