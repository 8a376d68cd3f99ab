#pragma once

#include "job/plan.h"

namespace muster::job {

/// Tells whether a role may live with fewer tasks than it wants.
[[nodiscard]] bool ranges(const Plan& plan, RoleIndex role);

/// Tells whether all tasks of such a role start again when one comes or goes.
[[nodiscard]] bool changes_together(const Plan& plan, RoleIndex role);

}  // namespace muster::job
