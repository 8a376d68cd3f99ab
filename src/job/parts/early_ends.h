#pragma once

#include "job/parts/cause.h"
#include "job/plan.h"
#include "job/state.h"

#include <string>

namespace muster::job {

/// Returns which peers of an attempt that lost one had ended well by then, although their job needs
/// all of them to the end: "worker:3 left 12.0 s earlier with exit code 0, before its peers were
/// done". "" if there are none. Only for static roles, whose tasks take every step together.
[[nodiscard]] std::string describe_early_ends(const Plan& plan, const State& state,
                                              const Cause& loss);

}  // namespace muster::job
