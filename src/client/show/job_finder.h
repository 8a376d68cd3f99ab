#pragma once

#include "client/session.h"
#include "cluster/cluster.h"
#include "cluster/home.h"
#include "cluster/job_reading.h"

#include <string>

namespace muster::client {

/// A job read from its folder on this host.
struct FoundJob {
  cluster::JobFolder folder;
  cluster::JobReport report;
  cluster::JobReading reading;

  /// Returns whether its end is known.
  [[nodiscard]] bool ended() const;
  /// Returns whether it has not ended but has no master.
  [[nodiscard]] bool lost() const;
};

/// Finds the job that the user means: among those of this host, else on the cluster `on`; empty:
/// the configured one.
[[nodiscard]] Result<cluster::JobEntry> find_entry(Session& session, const std::string& id,
                                                   const std::string& on);

/// Reads a job of this host; if it has not ended, its cluster first makes it readable.
[[nodiscard]] Result<FoundJob> read_found(Session& session, const cluster::JobFolder& folder);

/// Finds and reads a job.
[[nodiscard]] Result<FoundJob> find_job(Session& session, const std::string& id,
                                        const std::string& on);

/// Like find_entry and find_job, for operations on a job that is running. Also fails if the job has
/// ended.
[[nodiscard]] Result<cluster::JobEntry> find_running_entry(Session& session, const std::string& id,
                                                           const std::string& on);
[[nodiscard]] Result<FoundJob> find_running_job(Session& session, const std::string& id,
                                                const std::string& on);

/// What a status document needs besides the machine.
[[nodiscard]] eventlog::StatusContext status_context(const FoundJob& job);

}  // namespace muster::client
