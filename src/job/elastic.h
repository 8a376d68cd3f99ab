#pragma once

#include "job/plan.h"

/// Roles of tasks_min..tasks: more tasks join when they are granted, and the role continues with
/// fewer when restarts are spent. What that means for running tasks depends on the membership: in
/// an elastic role they live on with a new view, in a static role all start again with whoever is
/// there.
namespace muster::job {

/// Returns whether a role may live with fewer tasks than it wants.
[[nodiscard]] bool ranges(const Plan& plan, RoleIndex role);

/// Returns whether all tasks of such a role start again when one comes or goes.
[[nodiscard]] bool changes_together(const Plan& plan, RoleIndex role);

}  // namespace muster::job
