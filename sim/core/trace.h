#pragma once

#include "base/time.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/plan.h"

#include <span>
#include <string>

namespace muster::sim {

/// Prints one step of a run to standard output: time, fact, actions. For `core_sim --trace`.
void trace(Time now, const job::Plan& plan, const job::Fact& fact,
           std::span<const job::Action> actions);

}  // namespace muster::sim
