#include "client/show/job_finder.h"

#include "eventlog/derive_plan.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// Finds the job of this host that has this id in its cluster.
std::optional<cluster::JobEntry> find_application(Session& session, const std::string& id) {
  const Result<std::vector<cluster::JobEntry>> entries = session.home.jobs();
  for (const cluster::JobEntry& entry : entries ? *entries : std::vector<cluster::JobEntry>()) {
    if (!id.empty() && cluster::application_of(*session.files, entry.folder).id == id) {
      return entry;
    }
  }
  return std::nullopt;
}

Error nothing_runs(const cluster::JobFolder& job) {
  return cluster_error(fmt::format("{} has ended: none of it is running any more", job.id().value));
}

}  // namespace

bool FoundJob::ended() const { return reading.state().phase == job::JobPhase::Ended; }

bool FoundJob::lost() const { return !ended() && std::holds_alternative<cluster::Lost>(report); }

Result<cluster::JobEntry> find_entry(Session& session, const std::string& id,
                                     const std::string& on) {
  Result<cluster::JobEntry> here = session.home.find(id);
  const bool elsewhere = !on.empty() && on != "local";
  if (here && (!elsewhere || id != "last")) {
    return here;
  }
  if (!here && here.error().code != Errc::NotFound) {
    return here;
  }
  if (std::optional<cluster::JobEntry> entry = find_application(session, id)) {
    return *std::move(entry);
  }
  cluster::Cluster* cluster = nullptr;
  if (on.empty()) {
    cluster = session.clusters->configured();
  } else {
    MUSTER_TRY(cluster, session.clusters->named(on, {}));
  }
  if (cluster == nullptr) {
    return here;
  }
  MUSTER_TRY(const cluster::JobFolder folder, cluster->find(id));
  return session.home.find(folder.id().value);
}

Result<FoundJob> read_found(Session& session, const cluster::JobFolder& folder) {
  cluster::JobReport report = cluster::Ended{};
  if (!session.files->exists(folder.summary())) {
    MUSTER_TRY(report, session.clusters->of(folder).fetch(folder, cluster::FetchUntil::Now));
  }
  MUSTER_TRY(cluster::JobReading reading,
             cluster::read_job(*session.files, folder, eventlog::derive_plan));
  return FoundJob{.folder = folder, .report = std::move(report), .reading = std::move(reading)};
}

Result<FoundJob> find_job(Session& session, const std::string& id, const std::string& on) {
  MUSTER_TRY(const cluster::JobEntry entry, find_entry(session, id, on));
  return read_found(session, entry.folder);
}

Result<cluster::JobEntry> find_running_entry(Session& session, const std::string& id,
                                             const std::string& on) {
  MUSTER_TRY(cluster::JobEntry entry, find_entry(session, id, on));
  if (entry.ended) {
    return nothing_runs(entry.folder);
  }
  return entry;
}

Result<FoundJob> find_running_job(Session& session, const std::string& id, const std::string& on) {
  MUSTER_TRY(FoundJob job, find_job(session, id, on));
  if (job.ended()) {
    return nothing_runs(job.folder);
  }
  return job;
}

eventlog::StatusContext status_context(const FoundJob& job) {
  eventlog::StatusContext context = cluster::status_context(job.folder, job.reading);
  if (job.lost()) {
    context.waits_for =
        "a master: none is running (the machine went down, or every process was killed)";
  } else if (const auto* const queued = std::get_if<cluster::Queued>(&job.report);
             queued != nullptr && !job.ended()) {
    context.waits_for = queued->reason;
  }
  return context;
}

}  // namespace muster::client
