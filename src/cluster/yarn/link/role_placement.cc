#include "cluster/yarn/link/role_placement.h"

#include "base/text.h"
#include "hadoop/yarn/constraint_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

/// The cluster's name for a node's label among its attributes.
constexpr std::string_view kPartition = "yarn_node_partition/";

std::string key_of(const spec::Role& role) { return fmt::format("roles.{}.constraint", role.name); }

/// Returns what constraints may name: the tags that a role has, else its name.
std::vector<std::string> tags_of(const spec::Role& role) {
  return role.allocation_tags.empty() ? std::vector{role.name} : role.allocation_tags;
}

/// A tag that no container has is waited for forever (`in`), or does nothing.
Status check_tags(const spec::Spec& spec, const spec::Role& role,
                  const rm::PlacementConstraint& constraint) {
  std::set<std::string> known;
  for (const spec::Role& one : spec.roles) {
    std::ranges::copy(tags_of(one), std::inserter(known, known.end()));
  }
  for (const std::string& tag : own_tags_in(constraint)) {
    if (!known.contains(tag)) {
      return user_error(fmt::format(
          "{}: no role of this job has the tag {}; tags are their allocation_tags, or their names: "
          "{}",
          key_of(role), printable(tag), join(std::vector(known.begin(), known.end()), ", ")));
    }
  }
  return {};
}

/// The cluster reads the label only from a simple constraint.
Status add_label(const spec::Role& role, RolePlacement& placement) {
  if (!placement.constraint.has_value()) {
    placement.constraint =
        rm::PlacementConstraint{.simple = rm::SimpleConstraint{.targets = {}, .min = 1},
                                .combination = rm::Combination::And,
                                .children = {}};
  }
  std::optional<rm::SimpleConstraint>& simple = placement.constraint->simple;
  if (!simple.has_value() || simple->attribute_operator != rm::AttributeOperator::None) {
    return user_error(
        fmt::format("{}: with a node_label the cluster accepts only a single in, notin or "
                    "cardinality; remove node_label, or the brackets and node attributes",
                    key_of(role)));
  }
  simple->targets.push_back({.kind = rm::TargetKind::NodeAttribute,
                             .key = std::string(kPartition),
                             .values = {role.node_label}});
  return {};
}

}  // namespace

Result<std::map<std::string, RolePlacement>> placements_of(const spec::Spec& spec) {
  std::map<std::string, RolePlacement> placements;
  std::set<std::string> named;
  for (const spec::Role& role : spec.roles) {
    if (role.constraint.empty()) {
      continue;
    }
    Result<rm::PlacementConstraint> parsed = rm::parse_constraint(role.constraint);
    if (!parsed.has_value()) {
      return parsed.error().within(key_of(role));
    }
    MUSTER_TRY_STATUS(check_tags(spec, role, *parsed));
    std::ranges::copy(own_tags_in(*parsed), std::inserter(named, named.end()));
    placements[role.name].constraint = *std::move(parsed);
  }
  for (const spec::Role& role : spec.roles) {
    if (placements.contains(role.name) || named.contains(role.name) ||
        !role.allocation_tags.empty()) {
      placements[role.name].tags = tags_of(role);
      if (!role.node_label.empty() && role.node_label != spec.yarn.node_label) {
        MUSTER_TRY_STATUS(add_label(role, placements[role.name]));
      }
    }
  }
  return placements;
}

}  // namespace muster::cluster::yarn
