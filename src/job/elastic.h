#pragma once

#include "job/plan.h"

/// Roles of tasks_min..tasks: more join when they are granted, fewer go on when restarts are spent.
/// What that means for those that run is the membership's: an elastic role's live on with a new
/// view, a static role's all start again with whoever is there.
namespace muster::job {

/// Tells whether a role may live with fewer tasks than it wants.
[[nodiscard]] bool ranges(const Plan& plan, RoleIndex role);

/// Tells whether all tasks of such a role start again when one comes or goes.
[[nodiscard]] bool changes_together(const Plan& plan, RoleIndex role);

}  // namespace muster::job
