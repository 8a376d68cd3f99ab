#include "account/usage.h"
#include "base/text.h"
#include "client/commands.h"
#include "client/measure/account_text.h"
#include "client/measure/job_account.h"
#include "client/show/failure.h"
#include "client/show/logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::client {
namespace {

using account::UsageBy;
using account::UsageRow;

/// The sums, and what could not be examined.
struct UsageFound {
  account::Usage usage;
  std::vector<std::string> troubles;
};

void add_used(Session& session, const FoundJob& job, UsageFound& found) {
  const JobAccount made = account_of(session, job, WithSamples::No);
  const eventlog::PlanFile& file = job.reading.plan_file;
  const job::Plan& plan = made.ledger.machine().plan();
  const std::optional<job::Outcome>& outcome = job.reading.state().outcome;
  const std::string& queue = plan.spec.yarn.queue;
  found.usage.add(
      {.user = file.user,
       // Only a job that another system runs has an application id, and a queue.
       .queue = job.reading.application_id.empty() ? file.on : fmt::format("{}/{}", file.on, queue),
       .name = plan.name,
       .failed = outcome && outcome->result == job::JobResult::Failed,
       .started = made.started,
       .queued_before = std::max(Duration::zero(), made.started - file.submitted)},
      made.ledger, made.account.until, made.signs);
}

Status use_here(Session& session, WallTime since, UsageFound& found) {
  MUSTER_TRY(const std::vector<cluster::JobEntry> entries, session.home.jobs());
  for (const cluster::JobEntry& entry : entries) {
    // An ended job is no longer touched, so an old summary means a job that ended long ago.
    const Result<os::FileStat> summary = session.files->stat(entry.folder.summary());
    if (summary && summary->modified < since) {
      continue;
    }
    const Result<FoundJob> job = read_found(session, entry.folder);
    if (!job) {
      found.troubles.push_back(entry.folder.id().value + ": " + job.error().message);
      continue;
    }
    add_used(session, *job, found);
  }
  return {};
}

Status use_there(Session& session, const std::string& on, UsageFound& found) {
  MUSTER_TRY(cluster::Cluster* const cluster, session.clusters->named(on, {}));
  cluster::JobsQuery query{.running = true, .ended = true, .limit = 100, .after = {}};
  while (true) {
    MUSTER_TRY(const cluster::JobsPage page, cluster->jobs(query));
    for (const cluster::ListedJob& listed : page.jobs) {
      const Result<FoundJob> job = find_job(session, listed.id, on);
      if (!job) {
        found.troubles.push_back(listed.id + ": " + job.error().message);
        continue;
      }
      add_used(session, *job, found);
    }
    found.troubles.insert(found.troubles.end(), page.troubles.begin(), page.troubles.end());
    if (page.next.empty()) {
      return {};
    }
    query.after = page.next;
  }
}

std::string hours_text(double seconds) { return fmt::format("{:.2f}", seconds / 3600); }

double in_seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string usage_text(UsageBy by, const std::map<std::string, UsageRow>& rows) {
  if (rows.empty()) {
    return "no jobs\n";
  }
  size_t width = 8;
  for (const auto& [key, row] : rows) {
    width = std::max(width, printable(key).size());
  }
  std::string out = fmt::format("{:<{}} {:>6} {:>6} {:>12} {:>8} {:>10} {:>10} {:>10} {:>10}\n",
                                to_string(by), width, "jobs", "failed", "container h", "goodput",
                                "core h", "GiB h", "GPU h", "queued h");
  for (const auto& [key, row] : rows) {
    const std::optional<double> goodput = row.goodput();
    out += fmt::format(
        "{:<{}} {:>6} {:>6} {:>12} {:>8} {:>10} {:>10} {:>10} {:>10}\n", printable(key), width,
        row.jobs, row.failed, hours_text(in_seconds(row.granted)),
        goodput ? fmt::format("{:.1f} %", *goodput * 100) : "none", hours_text(row.core_s),
        hours_text(row.memory_gib_s), hours_text(row.gpu_s), hours_text(in_seconds(row.queued)));
  }
  return out;
}

std::string usage_json(UsageBy by, const std::map<std::string, UsageRow>& rows) {
  std::string out = fmt::format(R"({{"schema":"muster.usage/1","by":"{}","rows":[)", to_string(by));
  bool first = true;
  for (const auto& [key, row] : rows) {
    const std::optional<double> goodput = row.goodput();
    out += fmt::format(
        R"({}{{"key":{},"jobs":{},"failed":{},"granted_s":{},"productive_s":{},"goodput":{},)"
        R"("queued_s":{},"core_s":{:.3f},"memory_gib_s":{:.3f},"gpu_s":{:.3f}}})",
        first ? "" : ",", json_quote(key), row.jobs, row.failed, seconds_text(row.granted),
        seconds_text(row.productive), goodput ? fmt::format("{:.4f}", *goodput) : "null",
        seconds_text(row.queued), row.core_s, row.memory_gib_s, row.gpu_s);
    first = false;
  }
  return out + "]}\n";
}

/// Quotes as in RFC 4180. A spreadsheet takes text that begins with one of =+-@ for a formula.
std::string csv_text(const std::string& text) {
  std::string quoted = "\"";
  if (!text.empty() && std::string_view("=+-@\t\r").contains(text.front())) {
    quoted += '\'';
  }
  for (const char each : text) {
    quoted += each == '"' ? "\"\"" : std::string(1, each);
  }
  return quoted + "\"";
}

std::string usage_csv(UsageBy by, const std::map<std::string, UsageRow>& rows) {
  std::string out = fmt::format(
      "{},jobs,failed,granted_s,productive_s,goodput,queued_s,core_s,memory_gib_s,gpu_s\n",
      to_string(by));
  for (const auto& [key, row] : rows) {
    const std::optional<double> goodput = row.goodput();
    out += fmt::format("{},{},{},{},{},{},{},{:.3f},{:.3f},{:.3f}\n", csv_text(key), row.jobs,
                       row.failed, seconds_text(row.granted), seconds_text(row.productive),
                       goodput ? fmt::format("{:.4f}", *goodput) : "", seconds_text(row.queued),
                       row.core_s, row.memory_gib_s, row.gpu_s);
  }
  return out;
}

}  // namespace

int show_usage(Session& session, const UsageOptions& command) {
  WallTime since = WallTime::min();
  if (!command.since.empty()) {
    const Result<WallTime> parsed = parse_since(command.since, session.now());
    if (!parsed) {
      return fail(session.console, parsed.error());
    }
    since = *parsed;
  }
  if (command.json && command.csv) {
    return fail(session.console, user_error("give --json or --csv, not both"));
  }
  UsageBy by = UsageBy::User;
  for (const UsageBy each : {UsageBy::Queue, UsageBy::Name, UsageBy::Day, UsageBy::Host}) {
    by = command.by == to_string(each) ? each : by;
  }
  UsageFound found{.usage = account::Usage(by, since), .troubles = {}};
  const Status used =
      command.on.empty() ? use_here(session, since, found) : use_there(session, command.on, found);
  if (!used) {
    return fail(session.console, used.error());
  }
  session.console.out(command.json  ? usage_json(by, found.usage.rows())
                      : command.csv ? usage_csv(by, found.usage.rows())
                                    : usage_text(by, found.usage.rows()));
  for (const std::string& trouble : found.troubles) {
    session.console.err("muster: " + printable(trouble) + "\n");
  }
  return 0;
}

}  // namespace muster::client
