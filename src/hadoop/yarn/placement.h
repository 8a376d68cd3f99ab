#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

enum class TargetKind : uint8_t { NodeAttribute, AllocationTag };
enum class AttributeOperator : uint8_t { None, Equal, NotEqual };

/// What a placement constraint counts: containers with a tag, or a node's attribute.
struct PlacementTarget {
  TargetKind kind = TargetKind::AllocationTag;
  std::string key;  ///< Tags: the name space ("self", "all", ...); attributes: the name.
  std::vector<std::string> values;

  bool operator==(const PlacementTarget&) const = default;
};

/// "At least `min` and at most `max` of the targets within one `scope`": affinity is 1..max,
/// anti-affinity 0..0.
struct SimpleConstraint {
  std::string scope = "node";  ///< Or "rack".
  std::vector<PlacementTarget> targets;
  int32_t min = 0;
  int32_t max = std::numeric_limits<int32_t>::max();
  AttributeOperator attribute_operator = AttributeOperator::None;

  bool operator==(const SimpleConstraint&) const = default;
};

enum class Combination : uint8_t { And, Or };

/// A simple constraint, or several combined; then `simple` is empty.
struct PlacementConstraint {
  std::optional<SimpleConstraint> simple;
  Combination combination = Combination::And;
  std::vector<PlacementConstraint> children;

  bool operator==(const PlacementConstraint&) const = default;
};

}  // namespace muster::hadoop::yarn
