#pragma once

#include "agent/attempt/preparation.h"
#include "agent/attempt/task_run.h"
#include "agent/job_context.h"
#include "base/result.h"
#include "job/view.h"
#include "os/file/files.h"

namespace muster::agent {

/// MUSTER_VIEW_FILE, in the task's own folder.
inline constexpr const char* kViewFile = ".muster-view.json";

/// Works out how an attempt's command is run, and writes what it will read (its view,
/// muster-commit). An error names what is missing.
[[nodiscard]] Result<TaskRun::StartOptions> start_options(os::Files& files, const JobContext& job,
                                                          const Preparation& preparation,
                                                          const job::View& view);

}  // namespace muster::agent
