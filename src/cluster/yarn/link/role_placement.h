#pragma once

#include "base/result.h"
#include "hadoop/yarn/placement.h"
#include "spec/spec.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// Where the containers of a role may run relative to others. Roles without one are requested
/// plainly.
struct RolePlacement {
  std::vector<std::string> tags;  ///< Of each of its containers.
  std::optional<hadoop::yarn::PlacementConstraint> constraint;

  bool operator==(const RolePlacement&) const = default;
};

/// By the roles' names: those with a `constraint` or `allocation_tags`, and those whose name a
/// constraint gives, since a role without tags has its name as one. A role's own node label, if it
/// is not that of the job, is part of its constraint.
///
/// InvalidArgument names the role and what is wrong: the notation with its column, a tag that no
/// role has, a label that cannot be added to a constraint of several.
[[nodiscard]] Result<std::map<std::string, RolePlacement>> placements_of(const spec::Spec& spec);

}  // namespace muster::cluster::yarn
