#pragma once

#include "job/ids.h"
#include "job/state.h"

namespace muster::master {

/// Returns a container of the job; nullptr for one that the machine does not know.
[[nodiscard]] const job::Container* find_container(const job::State& state,
                                                   const job::ContainerId& container);

/// Returns whether the machine has placed that attempt in that container. `attempt` may be anything
/// that an agent made up.
[[nodiscard]] bool runs_there(const job::State& state, const job::ContainerId& container,
                              job::AttemptId attempt);

}  // namespace muster::master
