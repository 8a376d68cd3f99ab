#pragma once

#include "agent/job_context.h"
#include "base/result.h"
#include "job/fact.h"
#include "os/file/files.h"

#include <string>

namespace muster::agent {

/// Writes what an agent that no master listens to knows at its end into the job's folder, as
/// containers/ID.outcome.json.
[[nodiscard]] Status write_outcome(os::Files& files, const JobContext& job,
                                   const job::AgentReported& report, const std::string& reason);

}  // namespace muster::agent
