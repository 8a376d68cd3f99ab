#include "base/text.h"
#include "testing/scenario.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>

/// The `given` lines of a scenario: settings of a Plan.
namespace muster::testing {

namespace {

using job::Plan;
using job::RolePlan;

Error wrong(std::string_view what, std::string_view value) {
  return user_error(fmt::format("'{}' is no {}", value, what));
}

Result<uint64_t> number_of(std::string_view text) {
  uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) {
    return wrong("number", text);
  }
  return value;
}

Result<Duration> duration_of(std::string_view text) {
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"ms", 1'000}, {"s", 1'000'000}, {"m", 60'000'000}, {"h", 3'600'000'000}};
  for (const auto& [unit, us] : kUnits) {
    if (text.ends_with(unit)) {
      MUSTER_TRY(const uint64_t count, number_of(text.substr(0, text.size() - unit.size())));
      return Duration(static_cast<int64_t>(count) * us);
    }
  }
  return wrong("duration", text);
}

Status put(bool& target, std::string_view text) {
  if (text != "yes" && text != "no") {
    return wrong("yes or no", text);
  }
  target = text == "yes";
  return {};
}

Status put(uint32_t& target, std::string_view text) {
  MUSTER_TRY(const uint64_t value, number_of(text));
  target = static_cast<uint32_t>(value);
  return {};
}

Status put(Duration& target, std::string_view text) {
  MUSTER_TRY(target, duration_of(text));
  return {};
}

Status put(std::optional<Duration>& target, std::string_view text) {
  if (text == "none") {
    target.reset();
    return {};
  }
  MUSTER_TRY(target, duration_of(text));
  return {};
}

template <class E>
Status put_enum(E& target, std::string_view text, std::initializer_list<E> all) {
  for (const E value : all) {
    if (to_string(value) == text) {
      target = value;
      return {};
    }
  }
  return wrong("value of this setting", text);
}

Status put(spec::Membership& target, std::string_view text) {
  using enum spec::Membership;
  return put_enum(target, text, {Static, Rejoin, Elastic, Independent});
}
Status put(spec::Success& target, std::string_view text) {
  using enum spec::Success;
  return put_enum(target, text, {Required, EndsJob, Ignored});
}
Status put(spec::Failure& target, std::string_view text) {
  using enum spec::Failure;
  return put_enum(target, text, {FailsJob, Tolerated, Ignored});
}
Status put(spec::Barrier& target, std::string_view text) {
  using enum spec::Barrier;
  return put_enum(target, text, {Gang, AsGranted});
}
Status put(spec::Resume& target, std::string_view text) {
  using enum spec::Resume;
  return put_enum(target, text, {Restarts, Always, Never});
}

/// Parses "1s..1m", or one duration for both.
Status put_range(Duration& low, Duration& high, std::string_view text) {
  const size_t dots = text.find("..");
  MUSTER_TRY_STATUS(put(low, text.substr(0, dots)));
  if (dots == std::string_view::npos) {
    high = low;
    return {};
  }
  return put(high, text.substr(dots + 2));
}

Status put_restart(job::RestartBudget& budget, std::string_view key, std::string_view value) {
  if (key == "process") {
    return put(budget.process, value);
  }
  if (key == "container") {
    return put(budget.container, value);
  }
  if (key == "host") {
    return put(budget.host, value);
  }
  if (key == "job") {
    return put(budget.job, value);
  }
  if (key == "infrastructure") {
    return put(budget.infrastructure, value);
  }
  if (key == "window") {
    return put(budget.window, value);
  }
  if (key == "backoff") {
    return put_range(budget.backoff_low, budget.backoff_high, value);
  }
  if (key == "container_for_program") {
    return put(budget.container_for_program, value);
  }
  if (key == "host_for_program") {
    return put(budget.host_for_program, value);
  }
  return user_error(fmt::format("restart has no '{}'", key));
}

/// Parses "2" or "1..4" tasks.
Status add_role(Plan& plan, std::string_view name, std::string_view tasks) {
  RolePlan role;
  role.name = std::string(name);
  role.resources = {.memory_bytes = 1ULL << 30, .vcores = 1};
  role.restart.backoff_low = role.restart.backoff_high = Duration::zero();
  const size_t dots = tasks.find("..");
  if (dots == std::string_view::npos) {
    MUSTER_TRY_STATUS(put(role.tasks, tasks));
    role.tasks_min = role.tasks;
  } else {
    MUSTER_TRY_STATUS(put(role.tasks_min, tasks.substr(0, dots)));
    MUSTER_TRY_STATUS(put(role.tasks, tasks.substr(dots + 2)));
    role.membership = spec::Membership::Elastic;
  }
  plan.roles.push_back(std::move(role));
  return {};
}

Result<job::RoleIndex> role_of(const Plan& plan, std::string_view name) {
  const std::optional<job::RoleIndex> role = plan.find_role(name);
  if (!role) {
    return user_error(fmt::format("no role '{}' has been given", name));
  }
  return *role;
}

/// Parses "db:succeeded,cache".
Status put_after(const Plan& plan, RolePlan& role, std::string_view text) {
  for (const std::string_view item : split(text, ',')) {
    const std::vector<std::string_view> parts = split(item, ':');
    job::After after;
    MUSTER_TRY(after.role, role_of(plan, parts[0]));
    if (parts.size() > 1) {
      using enum spec::Condition;
      MUSTER_TRY_STATUS(put_enum(after.condition, parts[1], {Ended, Running, Succeeded}));
    }
    role.after.push_back(after);
  }
  return {};
}

/// Parses "chief:10m:ignore".
Status put_group(const Plan& plan, RolePlan& role, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 3) {
    return wrong("ROLE:DURATION:fail|ignore", text);
  }
  job::GroupDeadline group;
  MUSTER_TRY(const job::RoleIndex other, role_of(plan, parts[0]));
  group.roles.push_back(other);
  MUSTER_TRY_STATUS(put(group.in, parts[1]));
  using enum spec::DeadlineAction;
  MUSTER_TRY_STATUS(put_enum(group.then, parts[2], {Fail, Ignore}));
  role.deadline_after = group;
  return {};
}

Status put_role(const Plan& plan, RolePlan& role, std::string_view key, std::string_view value) {
  if (key.starts_with("restart.")) {
    return put_restart(role.restart, key.substr(8), value);
  }
  if (key == "stall.then") {
    using enum spec::StallAction;
    return put_enum(role.stall.then, value, {Report, Restart, Fail});
  }
  if (key == "membership") {
    return put(role.membership, value);
  }
  if (key == "success") {
    return put(role.success, value);
  }
  if (key == "failure") {
    return put(role.failure, value);
  }
  if (key == "per_container") {
    return put(role.tasks_per_container, value);
  }
  if (key == "after") {
    return put_after(plan, role, value);
  }
  if (key == "deadline_after") {
    return put_group(plan, role, value);
  }
  if (key == "gpus") {
    return put(role.resources.gpus, value);
  }
  return user_error(fmt::format("a role has no '{}'", key));
}

Status put_plan(Plan& plan, std::string_view key, std::string_view value) {
  using Setter = std::function<Status(Plan&, std::string_view)>;
  static const std::map<std::string_view, Setter> kSetters = {
      {"barrier", [](Plan& p, auto v) { return put(p.barrier, v); }},
      {"resume", [](Plan& p, auto v) { return put(p.spec.checkpoint.resume, v); }},
      {"deadlines.queue", [](Plan& p, auto v) { return put(p.deadlines.queue, v); }},
      {"deadlines.gather", [](Plan& p, auto v) { return put(p.deadlines.gather, v); }},
      {"deadlines.join", [](Plan& p, auto v) { return put(p.deadlines.join, v); }},
      {"deadlines.run", [](Plan& p, auto v) { return put(p.deadlines.run, v); }},
      {"deadlines.stop", [](Plan& p, auto v) { return put(p.deadlines.stop, v); }},
      {"liveness.lost", [](Plan& p, auto v) { return put(p.liveness.lost, v); }},
      {"gang.hold", [](Plan& p, auto v) { return put(p.gang.hold, v); }},
      {"gang.back_off",
       [](Plan& p, auto v) { return put_range(p.gang.back_off_low, p.gang.back_off_high, v); }},
      {"new_ports", [](Plan& p, auto v) { return put(p.gives_new_ports_on_restart, v); }},
      {"avoid",
       [](Plan& p, auto v) {
         p.hosts_to_avoid.emplace_back(std::string(v));
         return Status();
       }},
      {"avoid_share", [](Plan& p, auto v) { return put(p.avoid_share_max_percent, v); }},
      {"stop_on_first_failure", [](Plan& p, auto v) { return put(p.stop_on_first_failure, v); }},
      {"chief_failure_fails_job",
       [](Plan& p, auto v) { return put(p.chief_failure_fails_job, v); }},
  };
  const auto setter = kSetters.find(key);
  if (setter == kSetters.end()) {
    return user_error(fmt::format("there is no setting '{}'", key));
  }
  return setter->second(plan, value);
}

}  // namespace

Status give(Plan& plan, std::string_view setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string_view::npos) {
    return wrong("key=value", setting);
  }
  const std::string_view key = setting.substr(0, equals);
  const std::string_view value = setting.substr(equals + 1);
  if (key == "seed") {
    MUSTER_TRY(plan.seed, number_of(value));
    return {};
  }
  if (key == "chief" && value.find(':') != std::string_view::npos) {
    plan.chief = job::parse_task(plan, value);
    return plan.chief ? Status{} : Status(wrong("task of this job", value));
  }
  if (key.starts_with("restart.")) {
    for (RolePlan& role : plan.roles) {
      MUSTER_TRY_STATUS(put_restart(role.restart, key.substr(8), value));
    }
    return {};
  }
  if (key == "membership" || key == "success" || key == "failure" || key == "stall.then") {
    for (RolePlan& role : plan.roles) {
      MUSTER_TRY_STATUS(put_role(plan, role, key, value));
    }
    return {};
  }
  const size_t dot = key.find('.');
  if (dot != std::string_view::npos) {
    if (const auto role = plan.find_role(key.substr(0, dot))) {
      return put_role(plan, plan.roles[role->value], key.substr(dot + 1), value);
    }
    return put_plan(plan, key, value);
  }
  const bool count = !value.empty() && value[0] >= '0' && value[0] <= '9';
  if (count && key != "avoid_share") {
    return add_role(plan, key, value);
  }
  return put_plan(plan, key, value);
}

}  // namespace muster::testing
