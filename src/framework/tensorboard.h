#pragma once

#include "job/plan.h"

#include <optional>
#include <string_view>

namespace muster::framework {

/// The named port that the task which may serve TensorBoard is given.
inline constexpr std::string_view kTensorboardPort = "tensorboard";

/// True for the task that is given TB_PORT: task 0 of the role `tensorboard` if there is one, else
/// the chief.
[[nodiscard]] bool serves_tensorboard(const job::Plan& plan, job::TaskId task);

/// Adds the named port to the role that serves TensorBoard, if there is one.
void add_tensorboard_port(job::Plan& plan);

}  // namespace muster::framework
