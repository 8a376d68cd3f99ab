#pragma once

#include "job/plan.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::framework {

/// The named port that the task which may serve TensorBoard is given.
inline constexpr std::string_view kTensorboardPort = "tensorboard";

/// Where the job's page shows TensorBoard, seen from the page's own address. Asked like this it
/// reads with GET alone: web proxies of clusters pass no POST.
inline constexpr const char* kTensorboardLink = "tensorboard/?tensorboardColab=true";

/// True for the task that is given TB_PORT: task 0 of the role `tensorboard` if there is one, else
/// the chief.
[[nodiscard]] bool serves_tensorboard(const job::Plan& plan, job::TaskId task);

/// The folder or URI with the event files: `logdir` with $MUSTER_CHECKPOINT_DIR filled in.
[[nodiscard]] std::string logdir_of(const spec::Tensorboard& tensorboard,
                                    std::string_view checkpoint_dir);

/// Adds the named port to the role that serves TensorBoard, if there is one.
void add_tensorboard_port(job::Plan& plan);

}  // namespace muster::framework
