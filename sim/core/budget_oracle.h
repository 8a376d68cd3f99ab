#pragma once

#include "job/plan.h"
#include "sim/core/checker.h"

#include <memory>

namespace muster::sim {

/// No task is tried again more often than its budgets allow, rung by rung, and none is given up
/// before they are spent. Counts the attempts that were followed by another, from what happened and
/// from its own table of what each kind of end may cost; shares no arithmetic with the machine.
/// `plan` outlives it.
[[nodiscard]] std::unique_ptr<Checker> make_budget_oracle(const job::Plan& plan);

}  // namespace muster::sim
