#pragma once

#include "hadoop/yarn/placement.h"

namespace hadoop::yarn {
class PlacementConstraint;
}

/// Placement constraints as protobuf.
namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

void encode(const PlacementConstraint& from, pb::PlacementConstraint* to);

}  // namespace muster::hadoop::yarn
