#pragma once

#include "job/plan.h"

#include <cstdint>

/// How much of `network.port_range` a job takes.
namespace muster::job {

/// Returns how many ports a task of `role` is given: its own and those that have names.
[[nodiscard]] inline uint32_t ports_of_task(const RolePlan& role) {
  return 1 + static_cast<uint32_t>(role.ports.size());
}

/// Returns how many ports a full container of `role` takes on its host: its agent's and its tasks'.
[[nodiscard]] inline uint32_t ports_of_container(const RolePlan& role) {
  return 1 + role.tasks_per_container * ports_of_task(role);
}

}  // namespace muster::job
