#include "hadoop/yarn/placement_codec.h"

#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_placement.pb.h"

namespace muster::hadoop::yarn {
namespace {

void encode_simple(const SimpleConstraint& from, pb::SimplePlacementConstraint* to) {
  to->set_scope(from.scope);
  for (const auto& target : from.targets) {
    auto* const entry = to->add_target_expressions();
    entry->set_target_type(static_cast<pb::TargetType>(static_cast<int>(target.kind) + 1));
    entry->set_target_key(target.key);
    for (const auto& value : target.values) {
      entry->add_target_values(value);
    }
  }
  // Both always: their defaults differ between readers.
  to->set_min_cardinality(from.min);
  to->set_max_cardinality(from.max);
  to->set_attribute_op_code(
      static_cast<pb::NodeAttributeOpCode>(static_cast<int>(from.attribute_operator) + 1));
}

SimpleConstraint decode_simple(const pb::SimplePlacementConstraint& from) {
  SimpleConstraint to{
      .scope = from.scope(), .min = from.min_cardinality(), .max = from.max_cardinality()};
  for (const auto& target : from.target_expressions()) {
    to.targets.push_back(
        {.kind = static_cast<TargetKind>(target.target_type() - 1),
         .key = target.target_key(),
         .values = {target.target_values().begin(), target.target_values().end()}});
  }
  if (from.has_attribute_op_code()) {
    to.attribute_operator = static_cast<AttributeOperator>(from.attribute_op_code() - 1);
  }
  return to;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): constraints nest.
void encode(const PlacementConstraint& from, pb::PlacementConstraint* to) {
  if (from.simple) {
    encode_simple(*from.simple, to->mutable_simple_constraint());
    return;
  }
  auto* const composite = to->mutable_composite_constraint();
  composite->set_composite_type(from.combination == Combination::And ? pb::COMPOSITE_TYPE_AND
                                                                     : pb::COMPOSITE_TYPE_OR);
  for (const auto& child : from.children) {
    encode(child, composite->add_child_constraints());
  }
}

// NOLINTNEXTLINE(misc-no-recursion): protobuf bounds the depth.
PlacementConstraint decode(const pb::PlacementConstraint& from) {
  PlacementConstraint to;
  if (from.has_simple_constraint()) {
    to.simple = decode_simple(from.simple_constraint());
    return to;
  }
  const auto& composite = from.composite_constraint();
  to.combination =
      composite.composite_type() == pb::COMPOSITE_TYPE_AND ? Combination::And : Combination::Or;
  for (const auto& child : composite.child_constraints()) {
    to.children.push_back(decode(child));
  }
  return to;
}

void encode(const TaggedConstraint& from, pb::PlacementConstraintMapEntry* to) {
  for (const auto& tag : from.tags) {
    to->add_allocation_tags(tag);
  }
  encode(from.constraint, to->mutable_placement_constraint());
}

TaggedConstraint decode(const pb::PlacementConstraintMapEntry& from) {
  return {.tags = {from.allocation_tags().begin(), from.allocation_tags().end()},
          .constraint = decode(from.placement_constraint())};
}

void encode(const SchedulingRequest& from, pb::SchedulingRequest* to) {
  to->set_allocation_request_id(from.allocation.value);
  to->mutable_priority()->set_priority(from.priority);
  to->mutable_execution_type()->set_execution_type(
      static_cast<pb::ExecutionType>(execution_number(from.execution)));
  for (const auto& tag : from.tags) {
    to->add_allocation_tags(tag);
  }
  to->mutable_resource_sizing()->set_num_allocations(from.count);
  encode(from.each, to->mutable_resource_sizing()->mutable_resources());
  if (from.constraint) {
    encode(*from.constraint, to->mutable_placement_constraint());
  }
}

SchedulingRequest decode(const pb::SchedulingRequest& from) {
  SchedulingRequest to{.allocation = AllocationId(from.allocation_request_id()),
                       .priority = from.priority().priority(),
                       .count = from.resource_sizing().num_allocations(),
                       .each = decode(from.resource_sizing().resources()),
                       .execution = execution_from(from.execution_type().execution_type()),
                       .tags = {from.allocation_tags().begin(), from.allocation_tags().end()}};
  if (from.has_placement_constraint()) {
    to.constraint = decode(from.placement_constraint());
  }
  return to;
}

void encode(const RejectedRequest& from, pb::RejectedSchedulingRequest* to) {
  to->set_reason(from.reason == RejectionReason::CouldNotPlace
                     ? pb::REJECTION_REASON_COULD_NOT_PLACE_ON_NODE
                     : pb::REJECTION_REASON_COULD_NOT_SCHEDULE_ON_NODE);
  encode(from.request, to->mutable_request());
}

RejectedRequest decode(const pb::RejectedSchedulingRequest& from) {
  return {.reason = from.reason() == pb::REJECTION_REASON_COULD_NOT_PLACE_ON_NODE
                        ? RejectionReason::CouldNotPlace
                        : RejectionReason::CouldNotSchedule,
          .request = decode(from.request())};
}

}  // namespace muster::hadoop::yarn
