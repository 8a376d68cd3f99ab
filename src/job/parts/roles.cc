#include "job/parts/roles.h"

#include "base/check.h"
#include "job/elastic.h"
#include "job/parts/lives.h"
#include "job/parts/turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace muster::job {

Roles::Roles(const Deps& deps)
    : plan_(deps.plan),
      turn_(deps.turn),
      timers_(deps.timers),
      lives_(deps.lives),
      flags_(deps.plan) {
  for (const RolePlan& role : plan_.roles) {
    standings_.push_back({.success = role.success, .failure = role.failure});
  }
}

bool Roles::begin() {
  if (std::exchange(began_, true)) {
    return false;
  }
  review_due_ = true;
  return true;
}

void Roles::note_started(TaskId id) {
  if (flags_[id].ever_started) {
    return;
  }
  flags_[id].ever_started = true;
  const uint32_t started = ++standings_[id.role.value].started;
  const RolePlan& role = plan_.role(id.role);
  review_due_ = review_due_ || started == role.tasks || started == role.tasks_min;
}

void Roles::start_over(TaskId id) {
  standings_[id.role.value].started -= flags_[id].ever_started ? 1U : 0U;
  flags_[id].ever_started = false;
}

void Roles::reopen(RoleIndex role, bool any) {
  Standing& standing = standings_[role.value];
  standing.asked = standing.asked && !any;
  if (!standing.asked) {
    standing.relied_on = false;
    standing.failed_by.reset();
    timers_.clear(standing.group);
  }
}

bool Roles::rely_on(RoleIndex role) {
  return !std::exchange(standings_[role.value].relied_on, true);
}

spec::Failure Roles::failure_policy(RoleIndex role) const { return standings_[role.value].failure; }

bool Roles::can_shrink(RoleIndex role) const {
  const RolePlan& plan = plan_.role(role);
  const Tally& tally = lives_.tally(role);
  return ranges(plan_, role) && plan.tasks - tally.failed - tally.stopped > plan.tasks_min;
}

bool Roles::all_ended(RoleIndex role) const {
  return lives_.tally(role).ended() == plan_.role(role).tasks;
}

bool Roles::met(const After& after) const {
  const Tally& tally = lives_.tally(after.role);
  switch (after.condition) {
    case spec::Condition::Ended:
      return all_ended(after.role);
    case spec::Condition::Running:
      return standings_[after.role.value].started >= plan_.role(after.role).tasks_min;
    case spec::Condition::Succeeded:
      return all_ended(after.role) && tally.failed == 0 && tally.succeeded > 0;
  }
  MUSTER_CHECK(false, "unknown Condition");
}

bool Roles::never_met(const After& after) const {
  if (after.condition != spec::Condition::Succeeded) {
    return false;
  }
  return lives_.tally(after.role).failed > 0 || (all_ended(after.role) && !met(after));
}

void Roles::failed_for_good(RoleIndex role, const std::optional<Cause>& cause) {
  std::optional<Cause>& first = standings_[role.value].failed_by;
  if (!first) {
    first = cause;
  }
}

const std::optional<Cause>& Roles::failed_by(RoleIndex role) const {
  return standings_[role.value].failed_by;
}

void Roles::fail_by_deadline(std::string_view name, Duration patience, std::string_view what_not) {
  if (lives_.stopping() || decided_) {
    return;
  }
  decided_ = Outcome{.result = JobResult::Failed,
                     .reason = OutcomeReason::DeadlinePassed,
                     .class_name = std::string(name),
                     .message = fmt::format("{} within {}", what_not, format_duration(patience))};
}

// Returns whether the job's end waits for this role; if none is required, it waits for all.
bool Roles::counts(size_t role) const {
  const auto waited_for = [](const Standing& each) {
    return each.success != spec::Success::Ignored;
  };
  return waited_for(standings_[role]) || std::ranges::none_of(standings_, waited_for);
}

Roles::Completion Roles::review_completion() {
  uint32_t open = 0;
  uint32_t failed = 0;
  uint32_t succeeded = 0;
  const Cause* first = nullptr;
  for (size_t i = 0; i < standings_.size(); ++i) {
    const RoleIndex role(static_cast<uint16_t>(i));
    const Standing& each = standings_[i];
    const Tally& tally = lives_.tally(role);
    if (each.success == spec::Success::EndsJob && all_ended(role) && tally.succeeded > 0) {
      end_well(tally.failed, plan_.roles[i].tasks);
      return {.over = true};
    }
    if (!counts(i)) {
      continue;
    }
    open += plan_.roles[i].tasks - tally.ended();
    failed += tally.failed;
    succeeded += tally.succeeded;
    if (each.failed_by && (first == nullptr || each.failed_by->at < first->at)) {
      first = &*each.failed_by;
    }
  }
  if (open > 0) {
    return {};
  }
  if (succeeded == 0 && first != nullptr) {
    return {.over = true, .failed_by = *first};
  }
  end_well(failed, failed + succeeded);
  return {.over = true};
}

void Roles::end_well(uint32_t failed, uint32_t counted) {
  decided_ = Outcome{};
  if (failed > 0) {
    decided_->message = fmt::format("{} of {} tasks failed and were tolerated", failed, counted);
  }
}

void Roles::review_group_deadlines() {
  for (size_t i = 0; i < standings_.size(); ++i) {
    const RoleIndex role(static_cast<uint16_t>(i));
    const std::optional<GroupDeadline>& group = plan_.roles[i].deadline_after;
    Standing& each = standings_[i];
    if (!group) {
      continue;
    }
    const bool others_ended =
        std::ranges::all_of(group->roles, [&](RoleIndex other) { return all_ended(other); });
    const bool runs_late = others_ended && !all_ended(role) && !each.group_passed;
    if (!runs_late) {
      timers_.clear(each.group);
    } else if (!each.group.is_set()) {
      each.group = timers_.set(GroupTimer{role}, turn_.now + group->in,
                               fmt::format("{} to end", plan_.roles[i].name));
    }
  }
}

void Roles::group_passed(RoleIndex role) {
  Standing& late = standings_[role.value];
  const RolePlan& plan = plan_.role(role);
  late.group = {};
  late.group_passed = true;
  switch (plan.deadline_after->then) {
    case spec::DeadlineAction::Fail:
      fail_by_deadline("deadline.group", plan.deadline_after->in,
                       plan.name + " did not end after the roles it follows");
      return;
    case spec::DeadlineAction::Ignore:
      late.success = spec::Success::Ignored;
      if (late.failure == spec::Failure::Tolerated) {
        late.failure = spec::Failure::FailsJob;  // No later end would count it.
      }
      review_due_ = true;
      return;
  }
}

// lint: allow(unused) what the simulator recounts
bool Roles::tallies_hold() const {
  for (size_t i = 0; i < standings_.size(); ++i) {
    const auto started = std::ranges::count_if(
        lives_.state().tasks[i], [&](const Task& each) { return flags_[each.id].ever_started; });
    if (static_cast<uint64_t>(started) != standings_[i].started) {
      return false;
    }
  }
  return true;
}

}  // namespace muster::job
