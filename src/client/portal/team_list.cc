#include "client/portal/team_list.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

namespace muster::client {
namespace {

using cluster::TeamJob;

/// Per job in a list.
constexpr size_t kHostsNamed = 3;

std::string lower_of(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Returns what a job did on a host; nullptr if nothing is known about that.
const eventlog::HostShare* share_of(const TeamJob& job, const std::string& host) {
  const auto found = std::ranges::find(job.hosts, host, &eventlog::HostShare::host);
  return found == job.hosts.end() ? nullptr : &*found;
}

bool wants(const TeamFilter& filter, const TeamJob& job) {
  const auto fits = [](const std::string& wanted, const std::string& is) {
    return wanted.empty() || wanted == is;
  };
  const bool named = filter.name.empty() ||
                     lower_of(job.name).find(lower_of(filter.name)) != std::string::npos ||
                     lower_of(job.id).find(lower_of(filter.name)) != std::string::npos;
  return named && fits(filter.user, job.owner) && fits(filter.queue, job.queue) &&
         fits(filter.class_name, job.class_name) && fits(filter.state, job.state) &&
         (filter.host.empty() || share_of(job, filter.host) != nullptr) &&
         (!filter.from || job.submitted >= *filter.from) &&
         (!filter.to || job.submitted < *filter.to);
}

/// Writes the names of the first hosts, and what a job did on the requested one.
std::string hosts_json(const TeamJob& job, const std::string& asked) {
  std::string names;
  for (size_t i = 0; i < std::min(job.hosts.size(), kHostsNamed); ++i) {
    names += (names.empty() ? "" : ",") + json_quote(job.hosts[i].host);
  }
  const eventlog::HostShare* const here = asked.empty() ? nullptr : share_of(job, asked);
  return fmt::format(R"("hosts":[{}],"host_count":{},"here":{})", names, job.hosts.size(),
                     here == nullptr ? "null"
                                     : fmt::format(R"({{"attempts":{},"failed":{}}})",
                                                   here->attempts, here->failed));
}

std::string row_json(const TeamJob& job, const std::string& host) {
  return fmt::format(
      R"({{"key":{},"job":{},"user":{},"name":{},"queue":{},"on":{},"state":{},"class":{},)"
      R"("tasks":{},"submitted":{},"duration_ms":{},"ended":{},"page":{},{}}})",
      json_quote(job.key()), json_quote(job.id), json_quote(job.owner), json_quote(job.name),
      json_quote(job.queue), json_quote(job.on), json_quote(job.state),
      job.class_name.empty() ? "null" : json_quote(job.class_name), job.tasks,
      json_quote(format_iso(job.submitted)), job.duration.count() / 1000, job.ended,
      job.page.empty() ? "null" : json_quote(job.page), hosts_json(job, host));
}

/// {"failed":2,"succeeded":1}
std::string counts_json(const std::map<std::string, uint64_t>& counts) {
  std::string out = "{";
  for (const auto& [name, count] : counts) {
    if (!name.empty()) {
      out += fmt::format("{}{}:{}", out.size() == 1 ? "" : ",", json_quote(name), count);
    }
  }
  return out + "}";
}

/// A label's value in Prometheus' text format.
std::string label_of(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    out += c == '\\' || c == '"' ? std::string("\\") + c : std::string(1, c);
  }
  return out;
}

std::string texts_json(const std::set<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (!text.empty()) {
      out += (out.size() == 1 ? "" : ",") + json_quote(text);
    }
  }
  return out + "]";
}

}  // namespace

bool may_see(std::string_view viewer, const std::set<std::string>& admins, const TeamJob& job) {
  if (viewer.empty()) {
    return false;
  }
  return viewer == job.owner || admins.contains(std::string(viewer)) ||
         std::ranges::any_of(job.viewers, [&](const std::string& named) {
           return named == "*" || named == viewer;
         });
}

std::string team_metrics_text(const std::vector<const TeamJob*>& jobs, const std::string& viewer,
                              const std::set<std::string>& admins) {
  struct Sum {
    uint64_t jobs = 0;
    double seconds = 0;
  };
  std::map<std::string, Sum> sums;
  std::map<std::string, uint64_t> failures;
  for (const TeamJob* job : jobs) {
    if (!may_see(viewer, admins, *job)) {
      continue;
    }
    Sum& sum = sums[fmt::format(R"(user="{}",queue="{}",state="{}")", label_of(job->owner),
                                label_of(job->queue), label_of(job->state))];
    ++sum.jobs;
    sum.seconds += std::chrono::duration<double>(job->duration).count();
    if (!job->class_name.empty()) {
      ++failures[fmt::format(R"(user="{}",class="{}")", label_of(job->owner),
                             label_of(job->class_name))];
    }
  }
  std::string count =
      "# HELP muster_portal_jobs Jobs that the portal knows.\n"
      "# TYPE muster_portal_jobs gauge\n";
  std::string ran =
      "# HELP muster_portal_run_seconds How long these jobs have run in all.\n"
      "# TYPE muster_portal_run_seconds gauge\n";
  for (const auto& [labels, sum] : sums) {
    count += fmt::format("muster_portal_jobs{{{}}} {}\n", labels, sum.jobs);
    ran += fmt::format("muster_portal_run_seconds{{{}}} {}\n", labels, sum.seconds);
  }
  std::string failed =
      "# HELP muster_portal_failures Jobs that failed, by class.\n"
      "# TYPE muster_portal_failures gauge\n";
  for (const auto& [labels, jobs_failed] : failures) {
    failed += fmt::format("muster_portal_failures{{{}}} {}\n", labels, jobs_failed);
  }
  return count + ran + failed;
}

std::string team_list_json(const std::vector<const TeamJob*>& jobs, const std::string& viewer,
                           const std::set<std::string>& admins, const TeamFilter& filter,
                           const std::string& notice) {
  std::set<std::string> users;
  std::set<std::string> queues;
  std::set<std::string> classes;
  std::set<std::string> states;
  std::map<std::string, uint64_t> of_state;
  std::map<std::string, uint64_t> of_class;
  Duration ran{};
  eventlog::HostShare here;
  uint64_t total = 0;
  std::string rows;
  for (const TeamJob* job : jobs) {
    if (!may_see(viewer, admins, *job)) {
      continue;
    }
    users.insert(job->owner);
    queues.insert(job->queue);
    classes.insert(job->class_name);
    states.insert(job->state);
    if (!wants(filter, *job)) {
      continue;
    }
    if (total >= filter.offset && total - filter.offset < filter.limit) {
      rows += (rows.empty() ? "" : ",") + row_json(*job, filter.host);
    }
    ++total;
    ++of_state[job->state];
    ++of_class[job->class_name];
    ran += job->duration;
    if (const eventlog::HostShare* share = share_of(*job, filter.host)) {
      here.attempts += share->attempts;
      here.failed += share->failed;
    }
  }
  return fmt::format(
      R"({{"schema":"muster.portal/1","viewer":{},"notice":{},"total":{},"sums":{{"ran_ms":{},)"
      R"("states":{},"classes":{},"attempts":{},"attempts_failed":{}}},"jobs":[{}],"users":{},)"
      R"("queues":{},"classes":{},"states":{}}})"
      "\n",
      json_quote(viewer), notice.empty() ? "null" : json_quote(notice), total, ran.count() / 1000,
      counts_json(of_state), counts_json(of_class), here.attempts, here.failed, rows,
      texts_json(users), texts_json(queues), texts_json(classes), texts_json(states));
}

}  // namespace muster::client
