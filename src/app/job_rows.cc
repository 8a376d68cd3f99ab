#include "app/job_rows.h"

#include "app/job_finder.h"
#include "client/logs.h"
#include "eventlog/summary.h"

#include <memory>
#include <utility>

namespace muster::app {
namespace {

using Wanted = JobsWanted;

/// Jobs that this host knows; those of a YARN cluster as it tells of them now.
Result<JobRows> rows_here(Session& session, const ListOptions& command, Wanted wanted) {
  MUSTER_TRY(std::vector<client::JobEntry> entries, session.home.jobs());
  JobRows rows;
  std::string unseen;
  for (client::JobEntry& entry : entries) {
    if (rows.all.size() >= command.limit ||
        (entry.ended ? !wanted.ended : !wanted.running && !wanted.ended)) {
      continue;
    }
    if (!entry.ended && is_on_yarn(session, entry.folder)) {
      // A cluster that is away is asked once.
      const Status brought = rows.troubles.empty() ? bring_up_to_date(session, entry) : Status();
      if (!brought || !rows.troubles.empty()) {
        unseen += " " + entry.folder.id().value;
        rows.troubles.resize(1);
        rows.troubles[0] = brought ? rows.troubles[0] : brought.error().message;
        continue;
      }
    }
    client::JobRow row = client::read_row(*session.files, entry, plan_of(), session.now());
    const bool over = row.phase == "ended" || row.phase == "lost";
    if (over ? wanted.ended : wanted.running) {
      rows.all.push_back(std::move(row));
    }
  }
  if (!unseen.empty()) {
    rows.troubles.push_back("not looked at:" + unseen);
  }
  return rows;
}

/// Jobs that a YARN cluster knows, from whatever host they came.
Result<JobRows> rows_there(Session& session, const ListOptions& command, Wanted wanted) {
  MUSTER_TRY(const std::unique_ptr<RemoteJobs> jobs, RemoteJobs::open(session, command.on));
  if (jobs == nullptr) {
    return rows_here(session, command, wanted);
  }
  JobRows rows;
  if (wanted.running) {
    MUSTER_TRY(const std::vector<cluster::yarn::KnownJob> known, jobs->directory().known());
    for (const cluster::yarn::KnownJob& job : known) {
      if (job.over || rows.all.size() >= command.limit) {
        continue;
      }
      Result<client::JobEntry> entry = jobs->bring(job);
      const Status brought = entry ? bring_up_to_date(session, *entry) : Status(entry.error());
      if (!brought) {
        rows.troubles.push_back(job.id + ": " + brought.error().message);
        continue;
      }
      rows.all.push_back(client::read_row(*session.files, *entry, plan_of(), session.now()));
    }
  }
  if (wanted.ended) {
    MUSTER_TRY(const std::vector<cluster::yarn::EndedJob> over,
               jobs->directory().ended(command.limit));
    for (const cluster::yarn::EndedJob& job : over) {
      const Result<eventlog::Summary> summary = eventlog::parse_summary(job.summary);
      if (!summary) {
        rows.troubles.push_back(job.id + ": " + summary.error().message);
        continue;
      }
      const Result<WallTime> started = client::parse_since(summary->started, session.now());
      rows.all.push_back(client::row_of(job.id, started.value_or(session.now()), *summary));
    }
  }
  return rows;
}

}  // namespace

Result<JobRows> rows_of(Session& session, const ListOptions& command, JobsWanted wanted) {
  return command.on.empty() ? rows_here(session, command, wanted)
                            : rows_there(session, command, wanted);
}

}  // namespace muster::app
