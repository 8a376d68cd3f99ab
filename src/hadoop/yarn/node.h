#pragma once

#include "hadoop/token.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::yarn {

enum class NodeState : uint8_t {
  Unknown,  ///< A state that this program does not know.
  New,
  Running,
  Unhealthy,
  Decommissioned,
  Lost,
  Rebooted,
  Decommissioning,
  Shutdown,
};

/// What the resource manager knows about one node.
struct NodeReport {
  NodeId id;
  std::string http_address;
  Resource used;
  Resource capacity;
  NodeState state = NodeState::Unknown;
  std::string health;  ///< Why it is unhealthy; otherwise usually "".
  std::vector<std::string> labels;
  std::string rack = {};  ///< "/default-rack"; "" if unknown.

  bool operator==(const NodeReport&) const = default;
};

/// A token that opens connections to one node manager.
struct NodeToken {
  NodeId node;
  Token token;

  bool operator==(const NodeToken&) const = default;
};

/// Returns the lower-case word: "running", "unhealthy", "lost", ...
[[nodiscard]] std::string_view to_string(NodeState state);

}  // namespace muster::hadoop::yarn
