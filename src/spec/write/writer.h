#pragma once

#include "spec/read/document.h"

#include <string>

namespace muster::spec {

/// Returns the node as JSON on one line, members in their order.
[[nodiscard]] std::string write_json(const Node& node);

/// Returns the node, a map, as YAML for people: blocks for maps, one line for short lists.
/// `read_yaml` gives the same node again.
[[nodiscard]] std::string write_yaml(const Node& node);

}  // namespace muster::spec
