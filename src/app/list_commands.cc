#include "app/commands.h"
#include "app/failure.h"
#include "app/job_finder.h"
#include "base/text.h"
#include "client/job_reader.h"
#include "client/logs.h"
#include "eventlog/summary.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::app {
namespace {

struct Rows {
  std::vector<client::JobRow> all;
  std::vector<std::string> troubles;  ///< What could not be looked at, and why.
};

/// Jobs that this host knows; those of a YARN cluster as it tells of them now.
Result<Rows> rows_here(Session& session, const ListOptions& command, bool running, bool ended) {
  MUSTER_TRY(std::vector<client::JobEntry> entries, session.home.jobs());
  Rows rows;
  std::string unseen;
  for (client::JobEntry& entry : entries) {
    if (rows.all.size() >= command.limit || (entry.ended ? !ended : !running && !ended)) {
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
    if (over ? ended : running) {
      rows.all.push_back(std::move(row));
    }
  }
  if (!unseen.empty()) {
    rows.troubles.push_back("not looked at:" + unseen);
  }
  return rows;
}

/// Jobs that a YARN cluster knows, from whatever host they came.
Result<Rows> rows_there(Session& session, const ListOptions& command, bool running, bool ended) {
  MUSTER_TRY(const std::unique_ptr<RemoteJobs> jobs, RemoteJobs::open(session, command.on));
  if (jobs == nullptr) {
    return rows_here(session, command, running, ended);
  }
  Rows rows;
  if (running) {
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
  if (ended) {
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

int print_rows(Session& session, const ListOptions& command, bool running, bool ended) {
  const Result<Rows> rows = command.on.empty() ? rows_here(session, command, running, ended)
                                               : rows_there(session, command, running, ended);
  if (!rows) {
    return fail(session.console, rows.error());
  }
  session.console.out(command.json ? client::render_rows_json(rows->all)
                                   : client::render_rows(rows->all, session.now(),
                                                         session.console.screen().colour));
  for (const std::string& trouble : rows->troubles) {
    session.console.err("muster: " + printable(trouble) + "\n");
  }
  return 0;
}

}  // namespace

int list_running(Session& session, const PsCommand& command) {
  return print_rows(session, command, true, command.all);
}

int list_ended(Session& session, const HistoryCommand& command) {
  return print_rows(session, command, false, true);
}

}  // namespace muster::app
