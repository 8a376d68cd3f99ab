#pragma once

#include "base/time.h"
#include "job/plan.h"
#include "job/state.h"

#include <string>
#include <string_view>

namespace muster::eventlog {

/// What status and summary show that the machine does not know.
struct StatusContext {
  std::string on = "local";    ///< The cluster's name.
  std::string application_id;  ///< The cluster's own id of the job; "" for none.
  /// Where the tasks' output files are: "/home/me/.muster/jobs/x/logs" or, if they are on other
  /// hosts, the command that shows them, to which a task may be appended: "muster logs x".
  std::string logs_folder;
  WallTime started{};       ///< Wall clock of job time 0.
  std::string waits_for;    ///< In the cluster's message; "" when for nothing.
  std::string log_trouble;  ///< Why the event log cannot be written; "" while it can.
  std::string page;         ///< The link to the job's page; "" for none, or where others add it.
};

/// Returns `state` as it is when a job was ended by something other than its master: at job time
/// `at`, what was active stopped.
[[nodiscard]] job::State closed_state(job::State state, job::Outcome outcome, Time at);

/// Returns the status document (schema muster.status/1), one line of JSON. Besides what
/// stands there: `name`, `epoch`, `started` and `ended` (ISO 8601 or null), `waits_for`,
/// `log_trouble`, `notice_trouble` and `page` (text or null), per task `attempt_state`,
/// `container`, `address`, `restarts`, `signal`, `stall` (null, or of one that hangs `silent_s`,
/// `sure`, `place` and `evidence`); in the outcome `reason` and `message`, in its cause
/// `container`, `hint` and `victims`.
[[nodiscard]] std::string status_json(const job::Plan& plan, const job::State& state,
                                      const StatusContext& context);

/// Returns a status document with another link to the job's page; a text that is not a status
/// document stays as it is.
[[nodiscard]] std::string with_page(std::string status, std::string_view page);

/// Returns the member `outcome` of status and summary: null until the job has ended.
[[nodiscard]] std::string outcome_json(const job::Plan& plan, const job::State& state,
                                       const StatusContext& context);

/// Returns which notice has not been delivered, and why, in one line; "" if all have been.
[[nodiscard]] std::string notice_trouble(const job::State& state);

/// Returns the member `timeline`: how long each step of the job took, in milliseconds.
[[nodiscard]] std::string timeline_json(const job::State& state);

}  // namespace muster::eventlog
