#pragma once

#include "hadoop/yarn/placement.h"

namespace hadoop::yarn {
class PlacementConstraint;
class PlacementConstraintMapEntry;
class RejectedSchedulingRequest;
class SchedulingRequest;
}  // namespace hadoop::yarn

/// Placement constraints ⇄ protobuf.
namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

void encode(const PlacementConstraint& from, pb::PlacementConstraint* to);
void encode(const TaggedConstraint& from, pb::PlacementConstraintMapEntry* to);
void encode(const SchedulingRequest& from, pb::SchedulingRequest* to);
void encode(const RejectedRequest& from, pb::RejectedSchedulingRequest* to);

[[nodiscard]] PlacementConstraint decode(const pb::PlacementConstraint& from);
[[nodiscard]] TaggedConstraint decode(const pb::PlacementConstraintMapEntry& from);
[[nodiscard]] SchedulingRequest decode(const pb::SchedulingRequest& from);
[[nodiscard]] RejectedRequest decode(const pb::RejectedSchedulingRequest& from);

}  // namespace muster::hadoop::yarn
