#include "base/check.h"
#include "job/machine_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

/// The one restart verb: restart scope S in the next generation with placement P. Everything that
/// comes back, comes back through here: processes, containers, gangs, preempted tasks, and
/// (start_over) the whole job.
namespace muster::job {

bool Machine::Impl::charge(Rung rung, TaskId id) {
  const RestartBudget& budget = plan.role(id.role).restart;
  Ledger& ledger = rung == Rung::Job ? job_ledger : intent(id).ledger;
  return ledger.charge(rung, now, budget);
}

Duration Machine::Impl::wait_of(TaskId id) {
  const RestartBudget& budget = plan.role(id.role).restart;
  const uint32_t nth = std::max(1U, intent(id).ledger.count(now, budget));
  const uint64_t who = (static_cast<uint64_t>(id.role.value) << 32) | id.index;
  return backoff_of(budget.backoff_low, budget.backoff_high, nth,
                    jitter_bits(plan.seed, who, task(id).attempts.size()));
}

size_t Machine::Impl::restart(std::vector<Move> moves, Duration wait) {
  const bool gang = std::ranges::any_of(moves, [&](const Move& moved) {
    const std::vector<Attempt>& attempts = task(moved.task).attempts;
    return plan.role(moved.task.role).membership == spec::Membership::Static &&
           intent(moved.task).cohort == 0 && !attempts.empty() &&
           attempts.back().generation.value != 0;
  });
  Cohort* cohort = nullptr;
  if (gang) {
    widen_to_gang(moves);
    if (plan.barrier == spec::Barrier::Gang) {
      const auto gathering =
          std::ranges::find_if(cohorts, [](const auto& each) { return each.second.restart; });
      cohort = gathering != cohorts.end() ? &gathering->second : &new_cohort(true);
      cohort->restart = true;
      gather_stragglers(*cohort);
    }
    if (state.phase == JobPhase::Running) {
      move(JobPhase::Gathering);
    }
  }
  DeadlineId backoff;
  if (wait.count() > 0) {
    std::vector<TaskId> tasks;
    std::ranges::transform(moves, std::back_inserter(tasks), &Move::task);
    backoff = set_deadline(
        {.kind = DeadlineKind::Backoff,
         .at = now + wait,
         .waits_for = fmt::format("the restart of {}{}", to_string(plan, moves.front().task),
                                  moves.size() > 1 ? " and others" : ""),
         .tasks = std::move(tasks)});
  }
  for (const Move& moved : moves) {
    bring_back(moved, cohort, backoff);
  }
  tell_to_stop(moves);
  return moves.size();
}

void Machine::Impl::note_restart(Rung rung, const Cause& cause, Duration wait, size_t others) {
  const RestartBudget& budget = plan.role(cause.task().role).restart;
  const Ledger& ledger = rung == Rung::Job ? job_ledger : intent(cause.task()).ledger;
  state.restarted = RestartNote{.rung = rung,
                                .nth = ledger.count(rung, now, budget),
                                .limit = limit_of(budget, rung),
                                .window = budget.window,
                                .wait = wait,
                                .others = static_cast<uint32_t>(others),
                                .cause = cause.first};
}

void Machine::Impl::bring_back(const Move& moved, Cohort* gang, DeadlineId backoff) {
  const TaskId id = moved.task;
  Task& restarted = task(id);
  Intent& next = intent(id);
  if (restarted.state == TaskState::Succeeded) {
    move(restarted, TaskState::Waiting);
  }
  if (!restarted.attempts.empty() && restarted.attempts.back().generation.value != 0) {
    ++restarted.restarts;
  }
  next.latched = false;
  next.backoff = backoff;
  next.leaves = moved.placement == Placement::NewContainer;
  // Whoever gathers for a first start stays with those it gathers with.
  const auto own = cohorts.find(next.cohort);
  if (gang != nullptr && (own == cohorts.end() || !own->second.gang)) {
    enter(*gang, id);
  }
  want(id, moved.placement);
  if (next.leaves && live_attempt(id) == nullptr) {
    leave_home(id);
  }
}

// Peer losses in a gang that starts again anyway need no origin any more.
void Machine::Impl::absorb_losses(std::vector<Move>& moves) {
  std::erase_if(losses, [&](const Cause& loss) {
    if (plan.role(loss.task().role).membership == spec::Membership::Independent) {
      return false;
    }
    set_part(loss, Part::Victim);
    moves.push_back({.task = loss.task()});
    return true;
  });
  if (losses.empty()) {
    clear(blame);
  }
}

// A static task takes its whole gang along: every started task that is not independent, those of it
// whose success is not final yet, and those that are on their way back already. Ranks that share a
// container with one that moves to another, move with it: a gang stays packed as it was asked for.
void Machine::Impl::widen_to_gang(std::vector<Move>& moves) {
  absorb_losses(moves);
  std::set<TaskId> listed;
  std::set<ContainerId> left;
  for (const Move& moved : moves) {
    listed.insert(moved.task);
    const std::vector<Attempt>& attempts = task(moved.task).attempts;
    if (moved.placement == Placement::NewContainer && !attempts.empty()) {
      left.insert(attempts.back().container);
    }
  }
  for (const std::vector<Task>& role : state.tasks) {
    for (const Task& each : role) {
      const RolePlan& role_plan = plan.role(each.id.role);
      if (role_plan.membership == spec::Membership::Independent || listed.contains(each.id)) {
        continue;
      }
      const Attempt* attempt = live_attempt(each.id);
      const bool runs = attempt != nullptr && attempt->generation.value != 0 &&
                        attempt->state != AttemptState::Stopping;
      const bool again = each.state == TaskState::Succeeded && !intent(each.id).latched &&
                         role_plan.membership == spec::Membership::Static;
      if (!runs && !again) {
        continue;
      }
      const bool moves_out = left.contains(each.attempts.back().container);
      moves.push_back({.task = each.id,
                       .placement = moves_out ? Placement::NewContainer : Placement::SameSlot,
                       .grace = plan.deadlines.stop});
    }
  }
}

// Whoever of the gang is on its way back alone comes back with the others.
void Machine::Impl::gather_stragglers(Cohort& gang) {
  for (const std::vector<Task>& role : state.tasks) {
    for (const Task& each : role) {
      const auto own = cohorts.find(intent(each.id).cohort);
      if (plan.role(each.id.role).membership != spec::Membership::Independent &&
          own != cohorts.end() && !own->second.gang) {
        enter(gang, each.id);
      }
    }
  }
}

bool Machine::Impl::keeps_address(TaskId id, const Address& address) const {
  const std::vector<Attempt>& attempts = state.task(id).attempts;
  for (auto before = attempts.rbegin() + 1; before != attempts.rend(); ++before) {
    if (before->generation.value != 0) {
      return before->address.host == address.host && before->address.port == address.port;
    }
  }
  return true;
}

// The members of the gang have changed: `moves` and all that run, but for `newcomer`, start again
// with whoever waits for a barrier. False if there is nobody to start again.
bool Machine::Impl::regroup(std::vector<Move> moves, std::optional<TaskId> newcomer) {
  widen_to_gang(moves);
  std::erase_if(moves, [&](const Move& moved) { return moved.task == newcomer; });
  if (moves.empty()) {
    return false;
  }
  const auto gathering =
      std::ranges::find_if(cohorts, [](const auto& each) { return each.second.restart; });
  Cohort& cohort = gathering != cohorts.end() ? gathering->second : new_cohort(true);
  cohort.restart = true;
  gather_stragglers(cohort);
  if (state.phase == JobPhase::Running) {
    move(JobPhase::Gathering);
  }
  for (const Move& moved : moves) {
    bring_back(moved, &cohort, {});
  }
  tell_to_stop(moves);
  return true;
}

// The job's last rung: everything is released and asked anew, in the order of the roles. What has
// succeeded for good stays so.
void Machine::Impl::start_over(const Cause& cause) {
  losses.clear();
  clear(blame);
  wave_cured = true;
  std::vector<Move> moves;
  for (size_t i = 0; i < standings.size(); ++i) {
    Standing& standing_now = standings[i];
    for (Task& each : state.tasks[i]) {
      Intent& next = intent(each.id);
      if (each.state == TaskState::Stopped || next.latched) {
        continue;
      }
      unask(each.id);
      leave_cohort(each.id);
      standing_now.asked = false;
      standing_now.started -= next.ever_started ? 1U : 0U;
      next.ever_started = false;
      next.wanted = false;
      next.backoff = {};
      next.leaves = true;
      if (each.state == TaskState::Failed || each.state == TaskState::Succeeded) {
        move(each, TaskState::Waiting);
      }
      each.restarts += each.attempts.empty() ? 0U : 1U;
      if (live_attempt(each.id) != nullptr) {
        moves.push_back({.task = each.id, .grace = plan.deadlines.stop});
      } else {
        leave_home(each.id);
      }
    }
    if (!standing_now.asked) {
      standing_now.latched = false;
      standing_now.failed_by.reset();
      clear(standing_now.group);
    }
  }
  tell_to_stop(moves);
  if (state.phase == JobPhase::Running) {
    move(JobPhase::Gathering);
  }
  const RestartBudget& budget = plan.role(cause.task().role).restart;
  const uint32_t nth = job_ledger.count(now, budget);
  const Duration wait = backoff_of(budget.backoff_low, budget.backoff_high, nth,
                                   jitter_bits(plan.seed, UINT64_MAX, nth));
  note_restart(Rung::Job, cause, wait, 0);
  if (wait.count() == 0) {
    review_due = true;
    return;
  }
  start_over_wait = set_deadline({.kind = DeadlineKind::Backoff,
                                  .at = now + wait,
                                  .waits_for = "the whole job to start over"});
}

}  // namespace muster::job
