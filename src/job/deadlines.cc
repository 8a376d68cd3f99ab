#include "base/check.h"
#include "job/machine_impl.h"

#include <fmt/format.h>

/// Deadlines: set, moved, cleared, passed.
namespace muster::job {

DeadlineId Machine::Impl::set_deadline(Pending what) {
  const DeadlineId id(++deadline_count);
  emit(SetDeadline{id, what.kind, what.at, what.waits_for});
  if (what.kind == DeadlineKind::Backoff) {
    wait_changed = true;
    backoffs.insert(id);
  }
  pending.emplace(id, std::move(what));
  return id;
}

void Machine::Impl::move_deadline(DeadlineId id, Time at) {
  Pending& moved = pending.at(id);
  moved.at = at;
  emit(SetDeadline{id, moved.kind, at, moved.waits_for});
}

void Machine::Impl::clear(DeadlineId& id) {
  if (pending.erase(id) > 0) {
    backoffs.erase(id);
    emit(ClearDeadline{id});
  }
  id = {};
}

void Machine::Impl::on(const DeadlinePassed& fact) {
  const auto found = pending.find(fact.deadline);
  if (found == pending.end()) {
    return;
  }
  const Pending what = std::move(found->second);
  pending.erase(found);
  backoffs.erase(fact.deadline);
  switch (what.kind) {
    case DeadlineKind::Queue:
      queue = {};
      fail_by_deadline("deadline.queue", *plan.deadlines.queue, "no container was granted");
      return;
    case DeadlineKind::Gather:
      gather_passed(what);
      return;
    case DeadlineKind::Join:
      join_passed(what);
      return;
    case DeadlineKind::Run:
      run = {};
      fail_by_deadline("deadline.run", *plan.deadlines.run, "the job did not end");
      return;
    case DeadlineKind::Stop:
      stop_passed(what);
      return;
    case DeadlineKind::Backoff:
    case DeadlineKind::Ask:
      wait_changed = true;
      backoff_passed(fact.deadline, what);
      return;
    case DeadlineKind::Hold:
      if (const auto cohort = cohorts.find(what.number); cohort != cohorts.end()) {
        cohort->second.hold = {};
        give_back(cohort->second);
      }
      return;
    case DeadlineKind::Regather:
      if (const auto cohort = cohorts.find(what.number); cohort != cohorts.end()) {
        cohort->second.regather = {};
        regather(cohort->second);
      }
      return;
    case DeadlineKind::Blame:
      blame_passed();
      return;
    case DeadlineKind::Group:
      group_passed(what);
      return;
  }
  MUSTER_CHECK(false, "unknown DeadlineKind");
}

void Machine::Impl::fail_by_deadline(std::string_view name, Duration patience,
                                     std::string_view what_not) {
  if (stopping() || decided) {
    return;
  }
  decided = Outcome{.result = JobResult::Failed,
                    .reason = OutcomeReason::DeadlinePassed,
                    .class_name = std::string(name),
                    .message = fmt::format("{} within {}", what_not, format_duration(patience))};
}

// Whoever waits for a gang fails with it; a single task that got no container is given up as its
// role says.
void Machine::Impl::gather_passed(const Pending& what) {
  const auto found = cohorts.find(what.number);
  if (found == cohorts.end()) {
    return;
  }
  Cohort& cohort = found->second;
  cohort.gather = {};
  const std::string missing = fmt::format("only {}, and no more came", describe_cohort(cohort));
  if (cohort.gang) {
    fail_by_deadline("deadline.gather", *plan.deadlines.gather, missing);
    return;
  }
  const std::vector<TaskId> members = cohort.tasks;
  const uint32_t cohort_id = cohort.id;
  for (const TaskId id : members) {
    if (intent(id).cohort != cohort_id || task(id).state != TaskState::Waiting) {
      continue;
    }
    Cause cause;
    cause.first.attempt = {id, task(id).attempts.empty() ? 0 : task(id).attempts.back().number};
    cause.first.failure = {.class_name = "deadline.gather",
                           .kind = FailureKind::Infrastructure,
                           .remedy = Remedy::GiveUp,
                           .evidence = missing};
    cause.rung = Rung::None;
    cause.reason = OutcomeReason::DeadlinePassed;
    cause.at = now;
    give_up(cause, {});
  }
}

void Machine::Impl::join_passed(const Pending& what) {
  Attempt* attempt = live_attempt(what.task);
  intent(what.task).join = {};
  if (attempt == nullptr || attempt->state != AttemptState::Placed) {
    return;
  }
  const Cause cause = cause_of_join_deadline(what.task, *attempt, *plan.deadlines.join, now);
  // Its place may be what keeps it: nothing new comes there. Its agent drops what it had prepared.
  Container& container = *find_container(attempt->container);
  intent(what.task).leaves = true;
  if (container.state == ContainerState::Ready) {
    emit(StopAttempt{.attempt = {what.task, attempt->number}, .container = attempt->container});
  }
  end(what.task, *attempt, std::nullopt);
  failed(cause);
}

void Machine::Impl::stop_passed(const Pending& what) {
  if (stopping()) {
    stop = {};
    force_stop();
    return;
  }
  const auto found = stop_batches.find(what.number);
  if (found == stop_batches.end()) {
    return;
  }
  const StopBatch batch = std::move(found->second);
  stop_batches.erase(found);
  for (const AttemptId& told : batch.attempts) {
    Attempt* attempt = find_live(told);
    if (attempt == nullptr || attempt->state != AttemptState::Stopping) {
      continue;
    }
    // An agent that cannot end it is not to be trusted with another: its container goes.
    lose(*find_container(attempt->container), false, [&](TaskId id, const Attempt& lost) {
      return cause_of_loss(id, lost, LossReason::Silent, now);
    });
  }
}

void Machine::Impl::backoff_passed(DeadlineId id, const Pending& what) {
  if (id == host_return) {
    host_return = {};
    for (const TaskId asking : what.tasks) {
      unask(asking);  // They ask again, and leave out whoever is still to be avoided.
    }
    return;
  }
  if (id == start_over_wait) {
    start_over_wait = {};
    review_due = true;
    return;
  }
  for (const TaskId waited : what.tasks) {
    if (intent(waited).backoff == id) {
      intent(waited).backoff = {};
      poke(waited);
    }
  }
}

// The verdict on a silent agent may be under way: while one is suspected, blame waits once more.
void Machine::Impl::blame_passed() {
  blame = {};
  bool suspects = false;
  for (const auto& [id, container] : state.containers) {
    suspects = suspects || container.suspected;
  }
  if (suspects && !blame_extended) {
    blame_extended = true;
    blame = set_deadline({.kind = DeadlineKind::Blame,
                          .at = now + plan.liveness.lost,
                          .waits_for = "the verdict on a silent agent"});
    return;
  }
  settle_losses();
}

void Machine::Impl::group_passed(const Pending& what) {
  Standing& late = standings[what.number];
  const RolePlan& role = plan.roles[what.number];
  late.group = {};
  late.group_passed = true;
  switch (role.deadline_after->then) {
    case spec::DeadlineAction::Fail:
      fail_by_deadline("deadline.group", role.deadline_after->in,
                       role.name + " did not end after the roles it follows");
      return;
    case spec::DeadlineAction::Ignore:
      late.success = spec::Success::Ignored;
      late.failure = spec::Failure::Ignored;
      review_due = true;
      return;
  }
}

}  // namespace muster::job
