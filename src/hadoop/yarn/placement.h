#pragma once

#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

enum class ExecutionType : uint8_t {
  Guaranteed,
  Opportunistic,  ///< Queued at the node, and pushed out by guaranteed ones.
};

enum class TargetKind : uint8_t { NodeAttribute, AllocationTag, Self };
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

/// A constraint for all containers that carry `tags`, told at registration.
struct TaggedConstraint {
  std::vector<std::string> tags;
  PlacementConstraint constraint;

  bool operator==(const TaggedConstraint&) const = default;
};

/// An ask with tags and a constraint, for clusters whose placement handler is on.
struct SchedulingRequest {
  AllocationId allocation;
  int32_t priority = 0;
  int32_t count = 1;
  Resource each;
  ExecutionType execution = ExecutionType::Guaranteed;
  std::vector<std::string> tags;
  std::optional<PlacementConstraint> constraint;

  bool operator==(const SchedulingRequest&) const = default;
};

enum class RejectionReason : uint8_t { CouldNotPlace, CouldNotSchedule };

struct RejectedRequest {
  RejectionReason reason = RejectionReason::CouldNotPlace;
  SchedulingRequest request;

  bool operator==(const RejectedRequest&) const = default;
};

}  // namespace muster::hadoop::yarn
