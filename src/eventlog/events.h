#pragma once

#include "eventlog/log_file.h"
#include "job/plan.h"
#include "job/state.h"

#include <string>

namespace muster::eventlog {

/// Returns one fact of a job for the job's page, as one line of JSON: `n` (its index), `ms` (wall
/// clock, since 1970), `type` (its stable name) and `text` (a sentence for people); if it is about
/// an attempt, `task`, `attempt` and what is known about the attempt by now: `host`, `container`,
/// `generation`, `placed` (wall clock); for an end `exit_code`, `signal`, `class` and `part`.
/// `state` is the job's present one.
[[nodiscard]] std::string event_json(const job::Plan& plan, const job::State& state,
                                     const Record& record);

}  // namespace muster::eventlog
