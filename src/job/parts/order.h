#pragma once

#include "job/plan.h"

#include <cstdint>
#include <vector>

namespace muster::job {

/// Returns for each role how long its chain of `after` is; 0 waits for no other role. A job is
/// stopped from the highest level down, so that no role loses what it relies on while it is still
/// running.
[[nodiscard]] std::vector<uint32_t> levels_of(const Plan& plan);

}  // namespace muster::job
