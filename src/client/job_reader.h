#pragma once

#include "base/result.h"
#include "client/home.h"
#include "eventlog/log_file.h"
#include "eventlog/plan_file.h"
#include "eventlog/replay.h"
#include "eventlog/status.h"
#include "eventlog/summary.h"
#include "os/files.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::client {

/// A job as its folder tells it, whether its master lives or not.
struct JobReading {
  eventlog::PlanFile plan_file;
  eventlog::Log log;
  eventlog::Replayed replayed;
  /// False when the job has not ended and nobody holds its lock: the machine went down, or every
  /// process was killed.
  bool has_master = true;
  std::string application_id;  ///< The cluster's own id of the job; "" on this machine.
  /// Set for a job whose summary was written by another than its master, and whose log lacks the
  /// end: the cluster killed it.
  std::optional<job::State> closed;

  /// How the job stands, from its log and its summary.
  [[nodiscard]] const job::State& state() const {
    return closed ? *closed : replayed.machine.state();
  }
};

/// Reads a job's folder whole.
[[nodiscard]] Result<JobReading> read_job_folder(os::Files& files, const JobEntry& entry,
                                                 const eventlog::PlanOf& plan_of);

/// What status_json needs besides the machine.
[[nodiscard]] eventlog::StatusContext status_context(const JobEntry& entry,
                                                     const JobReading& reading);

/// The status of a job for people: outcome or phase, a table of tasks, where things are kept.
[[nodiscard]] std::string render_status(const JobEntry& entry, const JobReading& reading,
                                        WallTime now, bool colour);

/// One line of `muster ps` and `muster history`.
struct JobRow {
  std::string id;
  std::string
      phase;  ///< "gathering", "running", "stopping", "ended", "lost" (no master, not ended).
  std::string result;  ///< "succeeded", "failed", "stopped"; "" while it runs.
  std::string class_name;
  uint64_t tasks = 0;
  uint64_t tasks_running = 0;
  WallTime submitted{};
  Duration duration{};  ///< So far, or in all.
  std::string damage;   ///< Why the job cannot be read, if it cannot.
};

/// The row of an ended job, from its summary alone.
[[nodiscard]] JobRow row_of(const std::string& id, WallTime submitted,
                            const eventlog::Summary& summary);

/// Reads what a row needs: the summary of an ended job, else its log.
[[nodiscard]] JobRow read_row(os::Files& files, const JobEntry& entry,
                              const eventlog::PlanOf& plan_of, WallTime now);

/// A table for people, or {"schema":"muster.jobs/1","jobs":[...]}.
[[nodiscard]] std::string render_rows(const std::vector<JobRow>& rows, WallTime now, bool colour);
[[nodiscard]] std::string render_rows_json(const std::vector<JobRow>& rows);

/// Every fact of a job with its time, for `muster show`.
[[nodiscard]] std::string render_history(const JobReading& reading);
/// {"schema":"muster.show/1","status":{...},"facts":[{"index","at_ms","time","fact","text"}]}
[[nodiscard]] std::string render_history_json(const JobEntry& entry, const JobReading& reading);

}  // namespace muster::client
