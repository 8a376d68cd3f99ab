#include "base/check.h"
#include "job/machine_impl.h"

#include <fmt/format.h>

#include <algorithm>

/// The order of roles: each is asked for once what it waits `after` has come.
namespace muster::job {

void Machine::Impl::admit_roles() {
  if (start_over_wait.value != 0) {
    return;
  }
  std::vector<RoleIndex> ready;
  for (size_t i = 0; i < standings.size() && !decided; ++i) {
    if (standings[i].asked) {
      continue;
    }
    const RoleIndex role(static_cast<uint16_t>(i));
    const std::vector<After>& after = plan.roles[i].after;
    const auto never = std::ranges::find_if(after, [&](const After& a) { return never_met(a); });
    if (never != after.end()) {
      cannot_run(role, *never);
    } else if (std::ranges::all_of(after, [&](const After& a) { return met(a); })) {
      ready.push_back(role);
    }
  }
  if (!ready.empty() && !decided) {
    admit(ready);
  }
}

bool Machine::Impl::met(const After& after) const {
  const Standing& other = standings[after.role.value];
  const RolePlan& role = plan.role(after.role);
  switch (after.condition) {
    case spec::Condition::Ended:
      return other.ended() == role.tasks;
    case spec::Condition::Running:
      return other.started >= role.tasks_min;
    case spec::Condition::Succeeded:
      return other.ended() == role.tasks && other.failed == 0 && other.succeeded > 0;
  }
  MUSTER_CHECK(false, "unknown Condition");
}

bool Machine::Impl::never_met(const After& after) const {
  const Standing& other = standings[after.role.value];
  if (after.condition != spec::Condition::Succeeded) {
    return false;
  }
  return other.failed > 0 || (other.ended() == plan.role(after.role).tasks && !met(after));
}

void Machine::Impl::admit(const std::vector<RoleIndex>& roles) {
  Cohort* gang = plan.barrier == spec::Barrier::Gang ? &new_cohort(true) : nullptr;
  for (const RoleIndex role : roles) {
    standing(role).asked = true;
    for (const After& after : plan.role(role).after) {
      // Somebody relies on it now: what succeeded there is final.
      if (after.condition != spec::Condition::Running && !standing(after.role).latched) {
        standing(after.role).latched = true;
        for (const Task& each : state.tasks[after.role.value]) {
          latch(each.id);
        }
      }
    }
    for (const Task& each : state.tasks[role.value]) {
      if (each.state == TaskState::Waiting || each.state == TaskState::Active) {
        if (gang != nullptr) {
          enter(*gang, each.id);
        }
        want(each.id, Placement::NewContainer);
      }
    }
  }
  if (gang != nullptr && gang->shares.empty()) {
    cohorts.erase(gang->id);
  }
}

void Machine::Impl::cannot_run(RoleIndex role, const After& after) {
  Standing& standing_now = standing(role);
  standing_now.asked = true;
  const std::optional<Cause>& failed_by = standing(after.role).failed_by;
  if (standing_now.failure == spec::Failure::FailsJob) {
    const std::string message =
        fmt::format("{} waits for {} to succeed, and it did not{}{}", plan.role(role).name,
                    plan.role(after.role).name, failed_by ? ": " : "",
                    failed_by ? describe(plan, failed_by->first) : "");
    decided = Outcome{.result = JobResult::Failed,
                      .reason = failed_by ? failed_by->reason : OutcomeReason::ProgramFailed,
                      .class_name = failed_by ? failed_by->first.failure.class_name : "after.unmet",
                      .message = message};
    if (failed_by) {
      decided->first_cause = failed_by->first;
    }
    return;
  }
  standing_now.failed_by = failed_by;
  for (const Task& each : state.tasks[role.value]) {
    if (each.state == TaskState::Waiting) {
      abandon(each.id, TaskState::Failed);
    }
  }
}

}  // namespace muster::job
