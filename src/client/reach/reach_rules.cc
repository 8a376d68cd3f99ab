#include "client/reach/reach_rules.h"

#include "base/text.h"
#include "client/submit/job_source.h"
#include "job/describe.h"
#include "spec/read/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::client {
namespace {

/// An empty list means all.
template <class T>
bool covers(const std::vector<T>& list, const T& value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

/// " for tasks of ps in the queue prod", " for jobs in the queue prod".
std::string subject_of(const spec::Prohibition& rule) {
  std::string subject;
  if (!rule.roles.empty()) {
    subject += " tasks of " + join(rule.roles, ", ");
  }
  if (!rule.queues.empty()) {
    subject += fmt::format("{} in the queue{} {}", subject.empty() ? " jobs" : "",
                           rule.queues.size() == 1 ? "" : "s", join(rule.queues, ", "));
  }
  return subject.empty() ? "" : " for" + subject;
}

Error refusal(const spec::Prohibition& rule, spec::Reach way) {
  return Error{Errc::PermissionDenied, Blame::User,
               fmt::format("the site forbids {}{}: {}{}", to_string(way), subject_of(rule),
                           rule.place, rule.why.empty() ? "" : fmt::format(" ({})", rule.why))};
}

Status check(const Session& session, spec::Reach way, const std::string& queue,
             const std::vector<std::string>& roles) {
  MUSTER_TRY(const spec::Layers layers,
             read_layers(*session.files, JobSource(), session.surroundings()));
  MUSTER_TRY(const std::vector<spec::Prohibition> rules, spec::load_forbidden(layers));
  for (const spec::Prohibition& rule : rules) {
    const bool matches =
        covers(rule.verbs, way) && covers(rule.queues, queue) &&
        std::ranges::any_of(roles, [&](const auto& role) { return covers(rule.roles, role); });
    if (matches) {
      return refusal(rule, way);
    }
  }
  return {};
}

}  // namespace

Status check_reach(const Session& session, spec::Reach way, const job::Plan& plan,
                   std::span<const job::TaskId> tasks) {
  std::vector<std::string> roles;
  for (const job::TaskId task : tasks) {
    roles.push_back(plan.role(task.role).name);
  }
  return check(session, way, plan.spec.yarn.queue, roles);
}

Status check_reach(const Session& session, spec::Reach way, const spec::Spec& spec) {
  std::vector<std::string> roles;
  for (const spec::Role& role : spec.roles) {
    roles.push_back(role.name);
  }
  return check(session, way, spec.yarn.queue, roles);
}

}  // namespace muster::client
