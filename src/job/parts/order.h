#pragma once

#include "job/plan.h"

#include <cstdint>
#include <vector>

namespace muster::job {

/// Returns for each role how long its chain of `after` is: 0 waits for nobody. A job is stopped
/// from the highest level down, so that nobody loses what it relies on while it still runs.
[[nodiscard]] std::vector<uint32_t> levels_of(const Plan& plan);

}  // namespace muster::job
