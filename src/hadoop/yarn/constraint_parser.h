#pragma once

#include "base/result.h"
#include "hadoop/yarn/placement.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::yarn {

/// Reads a placement constraint in YARN's own notation:
///
///     in,SCOPE,TAG,...                    next to containers with each of the tags
///     notin,SCOPE,TAG,...                 where no container has one of them
///     cardinality,SCOPE,TAG,...,MIN,MAX   where so many containers have them
///     NAME=VALUE  NAME!=VALUE             where the node's attribute is that, or is not
///     and(C:C:...)  or(C:C:...)           several of these
///
/// SCOPE is node or rack. A tag means this application's containers; a prefix before a slash says
/// otherwise: self/, not-self/, all/, app-id/ID/, app-tag/TAG/. Blanks between words and the case
/// of operators and scopes do not matter. InvalidArgument names the text, the column and what was
/// expected there.
[[nodiscard]] Result<PlacementConstraint> parse_constraint(std::string_view text);

/// Returns the tags of this application's own containers that a constraint names, in its order; a
/// tag that occurs twice is returned twice.
[[nodiscard]] std::vector<std::string> own_tags_in(const PlacementConstraint& constraint);

}  // namespace muster::hadoop::yarn
