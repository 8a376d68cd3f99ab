#include "hadoop/yarn/placement_codec.h"

#include "hadoop/yarn_placement.pb.h"

namespace muster::hadoop::yarn {
namespace {

pb::TargetType type_of(TargetKind kind) {
  switch (kind) {
    case TargetKind::NodeAttribute:
      return pb::TARGET_TYPE_NODE_ATTRIBUTE;
    case TargetKind::AllocationTag:
      return pb::TARGET_TYPE_ALLOCATION_TAG;
  }
  return pb::TARGET_TYPE_ALLOCATION_TAG;
}

pb::NodeAttributeOpCode code_of(AttributeOperator op) {
  switch (op) {
    case AttributeOperator::None:
      return pb::NODE_ATTRIBUTE_OP_CODE_NO_OP;
    case AttributeOperator::Equal:
      return pb::NODE_ATTRIBUTE_OP_CODE_EQ;
    case AttributeOperator::NotEqual:
      return pb::NODE_ATTRIBUTE_OP_CODE_NE;
  }
  return pb::NODE_ATTRIBUTE_OP_CODE_NO_OP;
}

void encode_simple(const SimpleConstraint& from, pb::SimplePlacementConstraint* to) {
  to->set_scope(from.scope);
  for (const auto& target : from.targets) {
    auto* const entry = to->add_target_expressions();
    entry->set_target_type(type_of(target.kind));
    entry->set_target_key(target.key);
    for (const auto& value : target.values) {
      entry->add_target_values(value);
    }
  }
  // Always both: readers differ in their defaults.
  to->set_min_cardinality(from.min);
  to->set_max_cardinality(from.max);
  to->set_attribute_op_code(code_of(from.attribute_operator));
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

}  // namespace muster::hadoop::yarn
