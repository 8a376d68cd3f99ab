#pragma once

#include "job/plan.h"

#include <cstdint>

namespace muster::job {

/// Returns whether a program that Muster itself starts runs beside the task, in its container:
/// TensorBoard beside the chief, if the specification asks for it and no role `tensorboard` serves
/// it.
[[nodiscard]] bool has_side_program(const Plan& plan, TaskId task);

/// The most memory it may use beside a task that has a limit; its container requests that much
/// more. In an environment with TensorFlow, TensorBoard needs 600 MiB to show a few curves.
inline constexpr uint64_t kSideProgramMemoryBytes = 1ULL << 30;

/// Returns what the largest container of the role requests beyond its tasks and its agent.
[[nodiscard]] uint64_t side_memory_bytes(const Plan& plan, const RolePlan& role);

}  // namespace muster::job
