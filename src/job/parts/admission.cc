#include "job/parts/admission.h"

#include "job/describe.h"
#include "job/parts/asks.h"
#include "job/parts/attempts.h"
#include "job/parts/gangs.h"
#include "job/parts/lives.h"
#include "job/parts/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::job {

Admission::Admission(const Deps& deps, Roles& roles, Gangs& gangs, Asks& asks, Attempts& attempts)
    : plan_(deps.plan),
      lives_(deps.lives),
      roles_(roles),
      gangs_(gangs),
      asks_(asks),
      attempts_(attempts) {}

void Admission::admit_ready() {
  std::vector<RoleIndex> ready;
  for (size_t i = 0; i < plan_.roles.size() && !roles_.decided(); ++i) {
    const RoleIndex role(static_cast<uint16_t>(i));
    if (roles_.asked(role)) {
      continue;
    }
    const std::vector<After>& after = plan_.roles[i].after;
    const auto never =
        std::ranges::find_if(after, [&](const After& each) { return roles_.never_met(each); });
    if (never != after.end()) {
      cannot_run(role, never->role);
    } else if (std::ranges::all_of(after, [&](const After& each) { return roles_.met(each); })) {
      ready.push_back(role);
    }
  }
  if (!ready.empty() && !roles_.decided()) {
    admit(ready);
  }
}

void Admission::admit(const std::vector<RoleIndex>& roles) {
  const uint32_t gang = plan_.barrier == spec::Barrier::Gang ? gangs_.create(true) : 0;
  for (const RoleIndex role : roles) {
    roles_.set_asked(role);
    for (const After& after : plan_.role(role).after) {
      // A role relies on it now: the success of its tasks is final.
      if (after.condition != spec::Condition::Running && roles_.rely_on(after.role)) {
        for (const Task& each : lives_.state().tasks[after.role.value]) {
          attempts_.make_final(each.id);
        }
      }
    }
    for (const Task& each : lives_.state().tasks[role.value]) {
      if (each.state == TaskState::Waiting || each.state == TaskState::Active) {
        if (gang != 0) {
          gangs_.enter(gang, each.id);
        }
        asks_.want(each.id, Placement::NewContainer);
      }
    }
  }
  if (gang != 0) {
    gangs_.drop_if_empty(gang);
  }
}

void Admission::cannot_run(RoleIndex role, RoleIndex after) {
  roles_.set_asked(role);
  const std::optional<Cause>& failed_by = roles_.failed_by(after);
  if (roles_.failure_policy(role) == spec::Failure::FailsJob) {
    Outcome outcome{
        .result = JobResult::Failed,
        .reason = failed_by ? failed_by->reason : OutcomeReason::ProgramFailed,
        .class_name = failed_by ? failed_by->first.failure.class_name : "after.unmet",
        .message = fmt::format("{} waits for {} to succeed, and it did not{}{}",
                               plan_.role(role).name, plan_.role(after).name, failed_by ? ": " : "",
                               failed_by ? describe(plan_, failed_by->first) : "")};
    if (failed_by) {
      outcome.first_cause = failed_by->first;
    }
    roles_.decide(std::move(outcome));
    return;
  }
  roles_.failed_for_good(role, failed_by);
  for (const Task& each : lives_.state().tasks[role.value]) {
    if (each.state == TaskState::Waiting) {
      attempts_.abandon(each.id, TaskState::Failed);
    }
  }
}

}  // namespace muster::job
