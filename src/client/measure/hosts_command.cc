#include "account/host_book.h"
#include "base/text.h"
#include "client/commands.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "cluster/cluster.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::client {
namespace {

using account::HostBook;
using account::HostRecord;

/// What was found about hosts, and which tasks run there now.
struct Found {
  std::string lines;
  /// By host, how many tasks of each running job.
  std::map<job::HostName, std::map<std::string, uint32_t>> running;
  std::vector<std::string> troubles;
};

constexpr uint32_t kRunningMax = 100;

void add_running(Session& session, const std::string& id, const std::string& on, Found& found) {
  const Result<FoundJob> job = find_job(session, id, on);
  if (!job) {
    found.troubles.push_back(id + ": " + job.error().message);
    return;
  }
  for (const std::vector<job::Task>& role : job->reading.state().tasks) {
    for (const job::Task& task : role) {
      if (task.state == job::TaskState::Active && !task.attempts.empty()) {
        ++found.running[task.attempts.back().host][id];
      }
    }
  }
}

Status look_at(Session& session, cluster::Cluster& cluster, const std::string& on, Found& found) {
  MUSTER_TRY(const std::string lines, cluster.host_lines());
  found.lines += lines;
  const cluster::JobsQuery query{
      .running = true, .ended = false, .limit = kRunningMax, .after = {}};
  MUSTER_TRY(const cluster::JobsPage page, cluster.jobs(query));
  for (const cluster::ListedJob& listed : page.jobs) {
    add_running(session, listed.id, on, found);
  }
  found.troubles.insert(found.troubles.end(), page.troubles.begin(), page.troubles.end());
  return {};
}

/// Returns the clusters that this host's jobs have lately been on: "local" and others, by their
/// names.
Result<std::set<std::string>> clusters_used(Session& session) {
  std::set<std::string> names = {"local"};
  MUSTER_TRY(const std::vector<cluster::JobEntry> entries, session.home.jobs());
  for (const cluster::JobEntry& entry : entries) {
    if (session.now() - entry.submitted > account::kHostForgotten) {
      break;  // The newest come first.
    }
    names.emplace(session.clusters->of(entry.folder).name());
  }
  return names;
}

Result<Found> look(Session& session, const std::string& on) {
  Found found;
  if (!on.empty()) {
    MUSTER_TRY(cluster::Cluster* const cluster, session.clusters->named(on, {}));
    MUSTER_TRY_STATUS(look_at(session, *cluster, on, found));
    return found;
  }
  MUSTER_TRY(const std::set<std::string> names, clusters_used(session));
  for (const std::string& name : names) {
    const Result<cluster::Cluster*> cluster = session.clusters->named(name, {});
    const Status looked =
        cluster ? look_at(session, **cluster, name, found) : Status(cluster.error());
    if (!looked) {
      found.troubles.push_back(name + ": " + looked.error().message);
    }
  }
  return found;
}

std::string harm_text(const HostRecord& record) {
  return record.harm() <= 0
             ? ""
             : fmt::format("{}{}", format_iso(record.last_harm).substr(0, 10),
                           record.last_class.empty() ? "" : " " + printable(record.last_class));
}

std::string running_text(const Found& found) {
  std::string out;
  for (const auto& [host, jobs] : found.running) {
    std::vector<std::string> parts;
    for (const auto& [id, tasks] : jobs) {
      parts.push_back(fmt::format("{} of {}", job::count_of(tasks, "task"), id));
    }
    out += fmt::format("{} runs {}\n", host.value, join(parts, ", "));
  }
  return out;
}

std::string hosts_text(const HostBook& book) {
  if (book.hosts().empty()) {
    return "no hosts: no job has ended in the last 30 days\n";
  }
  size_t width = 8;
  for (const auto& [host, record] : book.hosts()) {
    width = std::max(width, host.value.size());
  }
  std::string out = fmt::format("{:<{}} {:>5} {:>9} {:>10} {:>7}  {}\n", "host", width, "jobs",
                                "failures", "GPU errors", "slower", "last trouble");
  for (const auto& [host, record] : book.hosts()) {
    out += std::string(
        trim(fmt::format("{:<{}} {:>5} {:>9.1f} {:>10.1f} {:>7}  {}", host.value, width,
                         record.jobs, record.failures, record.gpu_errors,
                         fmt::format("{:.0f} %", record.slow * 100), harm_text(record))));
    out += "\n";
  }
  for (const account::HostToAvoid& each : book.to_avoid()) {
    out += fmt::format("jobs avoid {}: {}\n", each.host.value, each.reason);
  }
  return out;
}

std::string hosts_json(const HostBook& book, const Found& found) {
  std::string rows;
  for (const auto& [host, record] : book.hosts()) {
    rows += fmt::format(
        R"({}{{"host":{},"jobs":{},"failures":{:.3f},"gpu_errors":{:.3f},"slow":{:.3f},)"
        R"("harm":{:.3f},"class":{},"last_harm":{},"seen":{}}})",
        rows.empty() ? "" : ",", json_quote(host.value), record.jobs, record.failures,
        record.gpu_errors, record.slow, record.harm(),
        record.last_class.empty() ? "null" : json_quote(record.last_class),
        record.harm() > 0 ? json_quote(format_iso(record.last_harm)) : "null",
        json_quote(format_iso(record.seen)));
  }
  std::string avoid;
  for (const account::HostToAvoid& each : book.to_avoid()) {
    avoid += fmt::format(R"({}{{"host":{},"reason":{}}})", avoid.empty() ? "" : ",",
                         json_quote(each.host.value), json_quote(each.reason));
  }
  std::string running;
  for (const auto& [host, jobs] : found.running) {
    for (const auto& [id, tasks] : jobs) {
      running += fmt::format(R"({}{{"host":{},"job":{},"tasks":{}}})", running.empty() ? "" : ",",
                             json_quote(host.value), json_quote(id), tasks);
    }
  }
  return fmt::format(R"({{"schema":"muster.hosts/1","hosts":[{}],"harmful":[{}],"running":[{}]}})"
                     "\n",
                     rows, avoid, running);
}

}  // namespace

int show_hosts(Session& session, const HostsOptions& command) {
  const Result<Found> found = look(session, command.on);
  if (!found) {
    return fail(session.console, found.error());
  }
  const HostBook book(found->lines, session.now());
  if (book.damaged() > 0) {
    session.console.err(fmt::format("muster: the record of hosts is damaged: {} skipped\n",
                                    job::count_of(book.damaged(), "line")));
  }
  session.console.out(command.json ? hosts_json(book, *found)
                                   : hosts_text(book) + running_text(*found));
  for (const std::string& trouble : found->troubles) {
    session.console.err("muster: " + printable(trouble) + "\n");
  }
  return 0;
}

}  // namespace muster::client
