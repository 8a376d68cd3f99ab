#pragma once

#include "app/job_finder.h"
#include "app/session.h"
#include "client/log_files.h"
#include "client/logs.h"

namespace muster::app {

/// Brings the output of a YARN job's tasks into its folder here, as far as `filter` admits it and
/// it can be had; says on standard error what is missing.
[[nodiscard]] Status bring_logs(Session& session, const FoundJob& job,
                                const client::LogFilter& filter);

/// Shows the output of a YARN job as it comes, from the job's master, until the job has ended or
/// the user leaves. What was written before is there already (bring_logs). Returns the exit status.
int follow_yarn_logs(Session& session, const FoundJob& job, const client::LogFilter& filter,
                     client::LogViewer& viewer);

}  // namespace muster::app
