#pragma once

#include "spec/read/document.h"
#include "spec/read/problems.h"

#include <memory>
#include <optional>
#include <string_view>

namespace muster::spec {

/// The maximum size of a text; larger ones are refused before they cost anything.
inline constexpr size_t kTextBytesMax = 1 << 20;
inline constexpr size_t kNestingMax = 32;
inline constexpr size_t kNodesMax = 100'000;
inline constexpr size_t kMembersMax = 4096;  ///< Of one map: its keys are looked up one by one.

/// Reads one YAML (or JSON) document into nodes that know their positions. Anchors and aliases work
/// within the limit on nodes; tags other than !!str, duplicate keys and a second document are
/// problems. Returns nullopt, with at least one problem added, if the text is not usable. An empty
/// text is a Null node.
[[nodiscard]] std::optional<Node> read_yaml(std::string_view text,
                                            const std::shared_ptr<const Source>& source,
                                            Problems& problems);

}  // namespace muster::spec
