#pragma once

#include "client/measure/top_jobs.h"
#include "client/show/job_finder.h"

#include <map>
#include <string>

namespace muster::client {

/// Renders the status of a job for people: outcome or phase, a table of tasks with what the running
/// ones use (`usage`, by name), and where things are kept.
[[nodiscard]] std::string render_status(const FoundJob& job, WallTime now, bool colour,
                                        const std::map<std::string, TopUsage>& usage);

/// Renders every fact of a job with its time, for `muster show`.
[[nodiscard]] std::string render_history(const cluster::JobReading& reading);
/// {"schema":"muster.show/1","status":{...},"facts":[{"index","at_ms","time","fact","text"}]}
[[nodiscard]] std::string render_history_json(const FoundJob& found);

}  // namespace muster::client
