#pragma once

#include "client/session.h"
#include "cluster/cluster.h"
#include "cluster/home.h"
#include "cluster/job_reading.h"

#include <string>

namespace muster::client {

/// A job, read from its folder here.
struct FoundJob {
  cluster::JobFolder folder;
  cluster::JobReport report;
  cluster::JobReading reading;

  /// Its end is known.
  [[nodiscard]] bool ended() const;
  /// It has not ended and nobody is its master.
  [[nodiscard]] bool lost() const;
};

/// Finds the job that the user means: among those of this host, else on the cluster `on`; empty:
/// the one that is configured.
[[nodiscard]] Result<cluster::JobEntry> find_entry(Session& session, const std::string& id,
                                                   const std::string& on);

/// Reads a job of this host; one that has not ended is made readable by its cluster first.
[[nodiscard]] Result<FoundJob> read_found(Session& session, const cluster::JobFolder& folder);

/// Finds and reads a job.
[[nodiscard]] Result<FoundJob> find_job(Session& session, const std::string& id,
                                        const std::string& on);

/// As find_entry and find_job, for what can be done to a job that runs alone. Errors as well: it
/// has ended.
[[nodiscard]] Result<cluster::JobEntry> find_running_entry(Session& session, const std::string& id,
                                                           const std::string& on);
[[nodiscard]] Result<FoundJob> find_running_job(Session& session, const std::string& id,
                                                const std::string& on);

/// What a status document needs besides the machine.
[[nodiscard]] eventlog::StatusContext status_context(const FoundJob& job);

}  // namespace muster::client
