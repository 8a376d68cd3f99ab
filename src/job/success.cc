#include "job/elastic.h"
#include "job/machine_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

/// Success and failure of tasks, and what they make of the job.
namespace muster::job {

void Machine::Impl::succeeded(TaskId id) {
  if (plan.role(id.role).membership == spec::Membership::Static) {
    provisional.push_back(id);
  } else {
    latch(id);
  }
  if (ranges(plan, id.role)) {
    stop_growing(id.role);
  }
  review_due = true;
}

// Final: its place is free for others.
void Machine::Impl::latch(TaskId id) {
  if (task(id).state == TaskState::Succeeded) {
    intent(id).latched = true;
    leave_home(id);
  }
}

void Machine::Impl::give_up(const Cause& origin, const std::vector<Cause>& victims) {
  const TaskId id = origin.task();
  Standing& role = standing(id.role);
  if (!role.failed_by) {
    role.failed_by = origin;
  }
  const bool shrinks = can_shrink(id.role);
  const bool chief = plan.chief_failure_fails_job && plan.chief == id;
  const bool fatal =
      plan.stop_on_first_failure || chief || (role.failure == spec::Failure::FailsJob && !shrinks);
  const std::vector<Attempt>& attempts = task(id).attempts;
  const bool ran = !attempts.empty() && attempts.back().generation.value != 0;
  abandon(id, TaskState::Failed);
  if (fatal) {
    fail_job(origin, origin.rung == Rung::None ? "trying again cannot help" : "no restarts left");
    return;
  }
  if (ran && shrinks && changes_together(plan, id.role)) {
    std::vector<Move> moves;
    std::ranges::transform(victims, std::back_inserter(moves),
                           [](const Cause& victim) { return Move{.task = victim.task()}; });
    wave_cured = true;
    regroup(std::move(moves));
    return;
  }
  for (const Cause& victim : victims) {
    if (decided) {
      break;
    }
    decide(victim, {});
    if (decided && decided->first_cause) {
      // What the victim has no restarts left for is still the origin's doing.
      FirstCause first = origin.first;
      first.victims = static_cast<uint32_t>(victims.size());
      decided->message = fmt::format("{}; it took {} along, which has no restarts left",
                                     describe(plan, first), to_string(plan, victim.task()));
      decided->class_name = first.failure.class_name;
      decided->reason = origin.reason;
      decided->first_cause = std::move(first);
    }
  }
}

void Machine::Impl::abandon(TaskId id, TaskState to) {
  Intent& next = intent(id);
  next.wanted = false;
  next.given_up = false;
  next.backoff = {};
  std::erase_if(losses, [&](const Cause& loss) { return loss.task() == id; });
  unask(id);
  const uint32_t cohort = next.cohort;
  leave_cohort(id);
  leave_home(id);
  note_started(id);
  move(task(id), to);
  review_due = true;
  // Not at once: what made it give up may be about to end the job.
  openings.push_back(cohort);
}

void Machine::Impl::fail_job(const Cause& cause, std::string_view why) {
  if (decided) {
    return;
  }
  if (cause.rung != Rung::None && charge(Rung::Job, cause.task())) {
    start_over(cause);
    return;
  }
  decided = Outcome{.result = JobResult::Failed,
                    .reason = cause.reason,
                    .class_name = cause.first.failure.class_name,
                    .message = fmt::format("{}; {}", describe(plan, cause.first), why),
                    .first_cause = cause.first};
}

void Machine::Impl::review() {
  if (!began || review_completion()) {
    return;
  }
  admit_roles();
  review_group_deadlines();
}

// Which roles the job's end waits for; where none is required, all.
bool Machine::Impl::counts(RoleIndex role) const {
  const auto waited_for = [](const Standing& each) {
    return each.success != spec::Success::Ignored;
  };
  return waited_for(standings[role.value]) || std::ranges::none_of(standings, waited_for);
}

bool Machine::Impl::review_completion() {
  uint32_t open = 0;
  uint32_t failed = 0;
  uint32_t succeeded = 0;
  const Cause* first = nullptr;
  for (size_t i = 0; i < standings.size(); ++i) {
    const RoleIndex role(static_cast<uint16_t>(i));
    const Standing& each = standings[i];
    const bool all_ended = each.ended() == plan.roles[i].tasks;
    if (each.success == spec::Success::EndsJob && all_ended && each.succeeded > 0) {
      end_well(each.failed, plan.roles[i].tasks);
      return true;
    }
    if (!counts(role)) {
      continue;
    }
    open += plan.roles[i].tasks - each.ended();
    failed += each.failed;
    succeeded += each.succeeded;
    if (each.failed_by && (first == nullptr || each.failed_by->at < first->at)) {
      first = &*each.failed_by;
    }
  }
  if (open > 0) {
    return false;
  }
  if (succeeded == 0 && first != nullptr) {
    fail_job(Cause(*first), "every task that the job waits for failed");
    return true;
  }
  end_well(failed, failed + succeeded);
  return true;
}

void Machine::Impl::end_well(uint32_t failed, uint32_t counted) {
  decided = Outcome{};
  if (failed > 0) {
    decided->message = fmt::format("{} of {} tasks failed and were tolerated", failed, counted);
  }
}

void Machine::Impl::review_group_deadlines() {
  for (size_t i = 0; i < standings.size(); ++i) {
    const std::optional<GroupDeadline>& group = plan.roles[i].deadline_after;
    Standing& each = standings[i];
    if (!group) {
      continue;
    }
    const bool others_ended = std::ranges::all_of(group->roles, [&](RoleIndex other) {
      return standings[other.value].ended() == plan.role(other).tasks;
    });
    const bool runs_late = others_ended && each.ended() < plan.roles[i].tasks && !each.group_passed;
    if (!runs_late) {
      clear(each.group);
    } else if (each.group.value == 0) {
      each.group = set_deadline({.kind = DeadlineKind::Group,
                                 .at = now + group->in,
                                 .waits_for = fmt::format("{} to end", plan.roles[i].name),
                                 .number = static_cast<uint32_t>(i)});
    }
  }
}

}  // namespace muster::job
