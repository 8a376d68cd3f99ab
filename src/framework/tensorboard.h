#pragma once

#include "job/plan.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::framework {

/// The named port given to the task that may serve TensorBoard.
inline constexpr std::string_view kTensorboardPort = "tensorboard";

/// Where the job's page shows TensorBoard, relative to the page's own address. In this form it
/// reads with GET alone, since the clusters' web proxies pass no POST.
inline constexpr const char* kTensorboardLink = "tensorboard/?tensorboardColab=true";

/// Returns true for the task that is given TB_PORT: task 0 of the role `tensorboard` if there is
/// one, else the chief.
[[nodiscard]] bool serves_tensorboard(const job::Plan& plan, job::TaskId task);

/// The folder or URI with the event files: `logdir` with $MUSTER_CHECKPOINT_DIR filled in.
[[nodiscard]] std::string logdir_of(const spec::Tensorboard& tensorboard,
                                    std::string_view checkpoint_dir);

/// Adds the named port to the role that serves TensorBoard, if there is one.
void add_tensorboard_port(job::Plan& plan);

}  // namespace muster::framework
