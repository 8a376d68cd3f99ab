#pragma once

#include "job/plan.h"
#include "sim/random.h"

namespace muster::sim {

/// Makes a valid Plan of one to four roles with policies drawn at random: all memberships, success
/// and failure policies, barriers, orders, deadlines and budgets that the machine knows. At least
/// one role's success matters.
[[nodiscard]] job::Plan make_plan(Random random);

}  // namespace muster::sim
