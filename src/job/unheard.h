#pragma once

#include "job/ids.h"
#include "job/state.h"

namespace muster::job {

/// Whether attempts that ran in the container were given up before anybody said that they had
/// ended: where a successor waits, the container's end must be seen and not assumed.
[[nodiscard]] bool ended_unheard(const State& state, const ContainerId& container);

}  // namespace muster::job
