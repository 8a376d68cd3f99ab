#pragma once

#include "client/job_finder.h"
#include "client/session.h"
#include "metrics/series.h"

#include <span>
#include <string>

namespace muster::client {

/// What the programs of a job have told of themselves, in a line for people: "progress: step 120 of
/// 1000 (12 %), 3.4 steps/s; loss 0.25 (worker:0)", of the task that is furthest, in its last
/// attempt. "" where nothing was told.
[[nodiscard]] std::string progress_line(std::span<const metrics::Series> series);

/// The same with its newline, of a job as it is now: what its master has, else its sample files.
[[nodiscard]] std::string ask_progress(Session& session, const FoundJob& job);

}  // namespace muster::client
