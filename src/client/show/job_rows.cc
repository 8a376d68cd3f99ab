#include "client/show/job_rows.h"

#include "client/follow/progress.h"
#include "client/show/job_finder.h"
#include "client/show/logs.h"
#include "eventlog/derive_plan.h"
#include "eventlog/summary.h"

#include <algorithm>
#include <set>
#include <utility>

namespace muster::client {
namespace {

constexpr uint32_t kPageMax = 100;
constexpr uint32_t kLimitForPeople = 20;

uint32_t limit_of(const ListOptions& command) {
  return command.limit.value_or(command.json ? UINT32_MAX : kLimitForPeople);
}

/// Makes the row of an ended job from its summary alone.
JobRow row_of_summary(const std::string& id, WallTime submitted, const eventlog::Summary& summary) {
  JobRow row;
  row.id = id;
  row.phase = "ended";
  row.result = summary.result;
  row.class_name = summary.class_name;
  row.tasks = summary.tasks;
  row.submitted = submitted;
  row.duration = std::chrono::milliseconds(summary.duration_ms);
  return row;
}

JobRow damaged_row(const cluster::JobEntry& entry, std::string damage) {
  JobRow row;
  row.id = entry.folder.id().value;
  row.phase = "lost";
  row.submitted = entry.submitted;
  row.damage = std::move(damage);
  return row;
}

/// Makes the row of a job whose log is here.
JobRow row_of_log(const cluster::JobEntry& entry, const FoundJob& found, WallTime now) {
  const job::Machine& machine = found.reading.replayed.machine;
  const job::State& state = found.reading.state();
  JobRow row;
  row.id = entry.folder.id().value;
  row.phase = found.lost() ? "lost" : std::string(to_string(state.phase));
  if (state.outcome && found.ended()) {
    row.result = to_string(state.outcome->result);
    row.class_name = state.outcome->class_name;
  }
  const Progress progress = progress_of(machine);
  row.tasks = progress.tasks_wanted;
  row.tasks_running = progress.running;
  row.submitted = entry.submitted;
  row.duration = std::max(Duration::zero(), now - found.reading.replayed.started);
  return row;
}

/// Reads the rows of this host's jobs. A cluster that does not answer is asked only once.
class RowsHere {
 public:
  RowsHere(Session& session, JobRows& rows) : session_(session), rows_(rows) {}

  /// Returns what can be known about the job; nothing if its cluster does not answer.
  std::optional<JobRow> read(const cluster::JobEntry& entry) {
    if (session_.files->exists(entry.folder.summary())) {
      const Result<std::string> text = session_.files->read(entry.folder.summary());
      const Result<eventlog::Summary> summary =
          text ? eventlog::parse_summary(*text) : Result<eventlog::Summary>(text.error());
      if (summary) {
        return row_of_summary(entry.folder.id().value, entry.submitted, *summary);
      }
    }
    cluster::Cluster* const cluster = &session_.clusters->of(entry.folder);
    if (away_.contains(cluster)) {
      unseen_ += " " + entry.folder.id().value;
      return std::nullopt;
    }
    Result<cluster::JobReport> report = cluster->fetch(entry.folder, cluster::FetchUntil::Now);
    if (!report) {
      away_.insert(cluster);
      rows_.troubles.push_back(report.error().message);
      unseen_ += " " + entry.folder.id().value;
      return std::nullopt;
    }
    Result<cluster::JobReading> reading =
        cluster::read_job(*session_.files, entry.folder, eventlog::derive_plan);
    if (!reading) {
      return damaged_row(entry, reading.error().message);
    }
    const FoundJob found{
        .folder = entry.folder, .report = *std::move(report), .reading = *std::move(reading)};
    return row_of_log(entry, found, session_.now());
  }

  void finish() {
    if (!unseen_.empty()) {
      rows_.troubles.push_back("not included:" + unseen_);
    }
  }

 private:
  Session& session_;
  JobRows& rows_;
  std::set<const cluster::Cluster*> away_;
  std::string unseen_;
};

Result<JobRows> rows_here(Session& session, const ListOptions& command, JobsWanted wanted) {
  MUSTER_TRY(const std::vector<cluster::JobEntry> entries, session.home.jobs());
  JobRows rows;
  RowsHere here(session, rows);
  for (const cluster::JobEntry& entry : entries) {
    const bool full = rows.all.size() >= limit_of(command);
    if (entry.ended && !wanted.ended) {
      continue;
    }
    if (full && (entry.ended || wanted.ended)) {
      ++rows.more;  // It either runs or is over: both are wanted, or which it is is already known.
      continue;
    }
    std::optional<JobRow> row = here.read(entry);
    if (!row || !(row->is_over() ? wanted.ended : wanted.running)) {
      continue;
    }
    if (full) {
      ++rows.more;
    } else {
      rows.all.push_back(*std::move(row));
    }
  }
  here.finish();
  return rows;
}

/// Makes the row of a job that its cluster lists.
Result<JobRow> row_there(Session& session, cluster::Cluster& cluster,
                         const cluster::ListedJob& job) {
  if (!job.summary.empty()) {
    MUSTER_TRY(const eventlog::Summary summary, eventlog::parse_summary(job.summary));
    const Result<WallTime> started = parse_since(summary.started, session.now());
    return row_of_summary(job.id, started.value_or(job.submitted), summary);
  }
  MUSTER_TRY(const cluster::JobFolder folder, cluster.find(job.id));
  MUSTER_TRY(const cluster::JobEntry entry, session.home.find(folder.id().value));
  MUSTER_TRY(const FoundJob found, read_found(session, folder));
  return row_of_log(entry, found, session.now());
}

Result<JobRows> rows_there(Session& session, const ListOptions& command, JobsWanted wanted) {
  MUSTER_TRY(cluster::Cluster* const cluster, session.clusters->named(command.on, {}));
  JobRows rows;
  std::set<std::string> seen;
  cluster::JobsQuery query{
      .running = wanted.running, .ended = wanted.ended, .limit = 0, .after = {}};
  const uint32_t limit = limit_of(command);
  while (true) {
    if (rows.all.size() >= limit) {
      rows.more_unknown = true;
      break;
    }
    query.limit = std::min(kPageMax, limit - static_cast<uint32_t>(rows.all.size()));
    MUSTER_TRY(cluster::JobsPage page, cluster->jobs(query));
    for (const cluster::ListedJob& job : page.jobs) {
      Result<JobRow> row = row_there(session, *cluster, job);
      if (!row) {
        rows.troubles.push_back(job.id + ": " + row.error().message);
        continue;
      }
      // A master records the end a moment before its cluster hears of it: until then, the job is
      // listed both as running and among those that have ended.
      const bool wanted_so = row->is_over() ? wanted.ended : wanted.running;
      if (wanted_so && seen.insert(row->id).second) {
        rows.all.push_back(*std::move(row));
      }
    }
    rows.troubles.insert(rows.troubles.end(), page.troubles.begin(), page.troubles.end());
    if (page.next.empty()) {
      break;
    }
    query.after = std::move(page.next);
  }
  return rows;
}

}  // namespace

Result<JobRows> rows_of(Session& session, const ListOptions& command, JobsWanted wanted) {
  return command.on.empty() ? rows_here(session, command, wanted)
                            : rows_there(session, command, wanted);
}

}  // namespace muster::client
