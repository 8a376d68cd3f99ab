#include "client/team_list.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

namespace muster::client {
namespace {

using cluster::TeamJob;

std::string lower_of(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
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
         (!filter.from || job.submitted >= *filter.from) &&
         (!filter.to || job.submitted < *filter.to);
}

std::string row_json(const TeamJob& job) {
  return fmt::format(
      R"({{"key":{},"job":{},"user":{},"name":{},"queue":{},"on":{},"state":{},"class":{},)"
      R"("tasks":{},"submitted":{},"duration_ms":{},"ended":{},"page":{}}})",
      json_quote(job.key()), json_quote(job.id), json_quote(job.owner), json_quote(job.name),
      json_quote(job.queue), json_quote(job.on), json_quote(job.state),
      job.class_name.empty() ? "null" : json_quote(job.class_name), job.tasks,
      json_quote(format_iso(job.submitted)), job.duration.count() / 1000, job.ended,
      job.page.empty() ? "null" : json_quote(job.page));
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
      rows += (rows.empty() ? "" : ",") + row_json(*job);
    }
    ++total;
    ++of_state[job->state];
    ++of_class[job->class_name];
    ran += job->duration;
  }
  return fmt::format(
      R"({{"schema":"muster.portal/1","viewer":{},"notice":{},"total":{},"sums":{{"ran_ms":{},)"
      R"("states":{},"classes":{}}},"jobs":[{}],"users":{},"queues":{},"classes":{},"states":{}}})"
      "\n",
      json_quote(viewer), notice.empty() ? "null" : json_quote(notice), total, ran.count() / 1000,
      counts_json(of_state), counts_json(of_class), rows, texts_json(users), texts_json(queues),
      texts_json(classes), texts_json(states));
}

}  // namespace muster::client
