#pragma once

#include "base/result.h"
#include "cluster/job_folder.h"
#include "eventlog/log_file.h"
#include "eventlog/plan_file.h"
#include "eventlog/replay.h"
#include "eventlog/status.h"
#include "os/file/files.h"

#include <optional>
#include <string>

namespace muster::cluster {

/// A job as described by its folder, whether its master is alive or not.
struct JobReading {
  eventlog::PlanFile plan_file;
  eventlog::Log log;
  eventlog::Replayed replayed;
  std::string application_id;  ///< The cluster's own id of the job; "" for none.
  /// Set for a job whose summary was not written by its master and whose log lacks the end: the
  /// cluster killed it.
  std::optional<job::State> closed;

  /// Returns the job's state, from its log and its summary.
  [[nodiscard]] const job::State& state() const {
    return closed ? *closed : replayed.machine.state();
  }
};

/// Reads a job's whole folder.
[[nodiscard]] Result<JobReading> read_job(os::Files& files, const JobFolder& folder,
                                          const eventlog::PlanOf& plan_of);

/// What status_json needs besides the machine.
[[nodiscard]] eventlog::StatusContext status_context(const JobFolder& folder,
                                                     const JobReading& reading);

/// How the client of a cluster with ids of its own finds a job there again, from application.json.
struct Application {
  std::string id;          ///< The cluster's own; "" for none.
  std::string conf;        ///< The folder of the configuration at submission; "" for the default.
  std::string proxy_user;  ///< On whose behalf it was submitted; "" on one's own.
};
[[nodiscard]] Application application_of(os::Files& files, const JobFolder& folder);

}  // namespace muster::cluster
