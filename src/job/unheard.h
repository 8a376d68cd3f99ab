#pragma once

#include "job/ids.h"
#include "job/state.h"

namespace muster::job {

/// Returns whether attempts that ran in the container were given up before their end was reported:
/// if a successor waits, the container's end must be seen and not assumed.
[[nodiscard]] bool ended_unheard(const State& state, const ContainerId& container);

}  // namespace muster::job
