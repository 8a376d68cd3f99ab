#include "account/host_book.h"
#include "base/text.h"
#include "client/commands.h"
#include "client/failure.h"
#include "client/job_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::client {
namespace {

using account::HostBook;
using account::HostRecord;

/// What jobs that have ended say of their hosts, and what could not be read.
struct HostLines {
  std::string lines;
  std::vector<std::string> troubles;
};

void add_lines(const Result<FoundJob>& job, const std::string& id, HostLines& found) {
  if (!job) {
    found.troubles.push_back(id + ": " + job.error().message);
    return;
  }
  if (job->ended()) {
    const eventlog::Replayed& replayed = job->reading.replayed;
    found.lines += account::host_line(replayed.machine, replayed.last_wall);
  }
}

Status lines_here(Session& session, HostLines& found) {
  MUSTER_TRY(const std::vector<cluster::JobEntry> entries, session.home.jobs());
  for (const cluster::JobEntry& entry : entries) {
    const Result<os::FileStat> summary = session.files->stat(entry.folder.summary());
    if (summary && session.now() - summary->modified <= account::kHostForgotten) {
      add_lines(read_found(session, entry.folder), entry.folder.id().value, found);
    }
  }
  return {};
}

Status lines_there(Session& session, const std::string& on, HostLines& found) {
  MUSTER_TRY(cluster::Cluster* const cluster, session.clusters->named(on, {}));
  cluster::JobsQuery query{.running = false, .ended = true, .limit = 100, .after = {}};
  while (true) {
    MUSTER_TRY(const cluster::JobsPage page, cluster->jobs(query));
    for (const cluster::ListedJob& listed : page.jobs) {
      if (session.now() - listed.submitted <= account::kHostForgotten) {
        add_lines(find_job(session, listed.id, on), listed.id, found);
      }
    }
    found.troubles.insert(found.troubles.end(), page.troubles.begin(), page.troubles.end());
    if (page.next.empty()) {
      return {};
    }
    query.after = page.next;
  }
}

std::string harm_text(const HostRecord& record) {
  return record.harm() <= 0
             ? ""
             : fmt::format("{}{}", format_iso(record.last_harm).substr(0, 10),
                           record.last_class.empty() ? "" : " " + printable(record.last_class));
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
                                "failures", "GPU errors", "slower", "last harm");
  for (const auto& [host, record] : book.hosts()) {
    out += std::string(
        trim(fmt::format("{:<{}} {:>5} {:>9.1f} {:>10.1f} {:>7}  {}", host.value, width,
                         record.jobs, record.failures, record.gpu_errors,
                         fmt::format("{:.0f} %", record.slow * 100), harm_text(record))));
    out += "\n";
  }
  for (const account::HostToAvoid& each : book.to_avoid()) {
    out += fmt::format("{} harms jobs: {}\n", each.host.value, each.reason);
  }
  return out;
}

std::string hosts_json(const HostBook& book) {
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
  return fmt::format(R"({{"schema":"muster.hosts/1","hosts":[{}],"harmful":[{}]}})"
                     "\n",
                     rows, avoid);
}

}  // namespace

int show_hosts(Session& session, const HostsOptions& command) {
  HostLines found;
  const Status read =
      command.on.empty() ? lines_here(session, found) : lines_there(session, command.on, found);
  if (!read) {
    return fail(session.console, read.error());
  }
  const HostBook book(found.lines, session.now());
  session.console.out(command.json ? hosts_json(book) : hosts_text(book));
  for (const std::string& trouble : found.troubles) {
    session.console.err("muster: " + printable(trouble) + "\n");
  }
  return 0;
}

}  // namespace muster::client
