#pragma once

#include "client/measure/top_jobs.h"
#include "client/session.h"
#include "client/show/job_finder.h"
#include "metrics/series.h"

#include <map>
#include <span>
#include <string>

namespace muster::client {

/// What the programs of a job have told of themselves, in a line for people: "progress: step 120 of
/// 1000 (12 %), 3.4 steps/s; loss 0.25 (worker:0)", of the task that is furthest, in its last
/// attempt. "" where nothing was told.
[[nodiscard]] std::string progress_line(std::span<const metrics::Series> series);

/// Returns what the tasks of a job use according to their last samples, each by its last attempt,
/// by name ("worker:0").
[[nodiscard]] std::map<std::string, TopUsage> usage_in(std::span<const metrics::Series> series);

/// The current measurements of a job.
struct Measured {
  std::string progress;                   ///< progress_line() with its newline.
  std::map<std::string, TopUsage> usage;  ///< usage_in(); empty if the job is not running.
};

/// Asks the job's master; otherwise reads its sample files.
[[nodiscard]] Measured ask_measured(Session& session, const FoundJob& job);

}  // namespace muster::client
