#pragma once

#include "job/plan.h"

#include <cstdint>

namespace muster::job {

/// Whether a program that Muster starts itself runs beside the task, in its container: TensorBoard
/// beside the chief, where the specification asks for it and no role `tensorboard` serves it.
[[nodiscard]] bool has_side_program(const Plan& plan, TaskId task);

/// The most memory that it may use; its container is asked for so much more.
inline constexpr uint64_t kSideProgramMemoryBytes = 512ULL << 20;

/// What the largest container of the role is asked for beyond its tasks and its agent.
[[nodiscard]] uint64_t side_memory_bytes(const Plan& plan, const RolePlan& role);

}  // namespace muster::job
