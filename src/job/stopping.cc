#include "job/describe.h"
#include "job/machine_impl.h"

#include <fmt/format.h>

#include <algorithm>

/// The job's end: everything is stopped in order and with grace, everything is released, and the
/// end absorbs.
namespace muster::job {

void Machine::Impl::on(const StopAsked& asked) {
  if (state.stop_asked_by.empty()) {
    state.stop_asked_by = asked.by;
  }
  if (stopping() || decided) {
    return;
  }
  decided = Outcome{.result = JobResult::Stopped,
                    .reason = OutcomeReason::StoppedByUser,
                    .class_name = "stop.user",
                    .message = fmt::format("stopped by {}", asked.by)};
}

void Machine::Impl::begin_stop() {
  state.outcome = std::exchange(decided, std::nullopt);
  move(JobPhase::Stopping);
  losses.clear();
  cohorts.clear();
  stop_batches.clear();
  queue = run = start_over_wait = blame = {};
  for (const auto& [id, what] : std::exchange(pending, {})) {
    emit(ClearDeadline{id});
  }
  backoffs.clear();
  for (auto& [id, request] : state.requests) {
    if (!request.cancelled) {
      request.cancelled = true;
      emit(CancelRequest{id});
    }
  }
  for (std::vector<Task>& role : state.tasks) {
    for (Task& each : role) {
      Intent& next = intent(each.id);
      next.wanted = next.leaves = next.granted = next.joined = false;
      next.cohort = next.stop_batch = 0;
      next.backoff = next.join = {};
      next.request = {};
      if (each.state == TaskState::Waiting) {
        move(each, TaskState::Stopped);
      }
      // What never started needs no grace: it goes with its container.
      Attempt* attempt = live_attempt(each.id);
      if (attempt != nullptr && attempt->generation.value == 0) {
        attempt->part = Part::Stopped;
        end(each.id, *attempt, std::nullopt);
      }
    }
  }
  for (auto& [id, container] : state.containers) {
    if (container.live == 0) {
      drain(container);
    }
  }
  stop_level = levels.empty() ? 0 : std::ranges::max(levels);
  stop_next_level();
}

uint32_t Machine::Impl::live_in_level() const {
  uint32_t count = 0;
  for (size_t i = 0; i < standings.size(); ++i) {
    count += levels[i] == stop_level ? standings[i].live : 0;
  }
  return count;
}

// Those that rely on others first, then those they relied on.
void Machine::Impl::stop_next_level() {
  while (stop_level > 0 && live_in_level() == 0) {
    --stop_level;
  }
  const StopReason reason = state.outcome->reason == OutcomeReason::StoppedByUser
                                ? StopReason::UserStop
                                : StopReason::JobEnds;
  for (size_t i = 0; i < standings.size(); ++i) {
    if (levels[i] != stop_level || standings[i].live == 0) {
      continue;
    }
    for (const Task& each : state.tasks[i]) {
      Attempt* attempt = live_attempt(each.id);
      if (attempt == nullptr || attempt->state == AttemptState::Stopping) {
        continue;
      }
      departed.push_back(each.id);
      starts_awaited -= attempt->state == AttemptState::Joined ? 1 : 0;
      move(*attempt, AttemptState::Stopping);
      emit(StopAttempt{.attempt = {each.id, attempt->number},
                       .container = attempt->container,
                       .grace = plan.deadlines.stop,
                       .reason = reason});
    }
  }
  clear(stop);
  if (containers_open > 0) {
    stop = set_deadline(
        {.kind = DeadlineKind::Stop,
         .at = now + plan.deadlines.stop + plan.liveness.lost,
         .waits_for = live > 0 ? count_of(live, "task") + " to end"
                               : count_of(containers_open, "container") + " to be gone"});
  }
}

void Machine::Impl::advance_stop() {
  if (containers_open == 0) {
    finish();
    return;
  }
  if (live > 0 && live_in_level() == 0) {
    stop_next_level();
  }
}

// The grace and the patience beyond it are over: what is left goes with its container, and a
// cluster that does not confirm a release is not waited for any longer.
void Machine::Impl::force_stop() {
  if (live == 0) {
    finish();
    return;
  }
  for (size_t i = 0; i < standings.size(); ++i) {
    if (levels[i] != stop_level) {
      continue;
    }
    for (const Task& each : state.tasks[i]) {
      if (const Attempt* attempt = live_attempt(each.id); attempt != nullptr) {
        lose(*find_container(attempt->container), false, [&](TaskId id, const Attempt& lost) {
          return cause_of_loss(id, lost, LossReason::Silent, now);
        });
      }
    }
  }
  stop_next_level();
}

void Machine::Impl::finish() {
  clear(stop);
  move(JobPhase::Ended);
  state.ended = now;
  step("ended");
  emit(Finish{*state.outcome});
}

// Nothing changes any more. What comes late is released, and a new master is told the outcome
// again.
void Machine::Impl::after_the_end(const Fact& fact) {
  if (const auto* granted = std::get_if<ContainerGranted>(&fact)) {
    emit(ReleaseContainer{granted->container});
  } else if (const auto* joined = std::get_if<AgentJoined>(&fact)) {
    emit(ReleaseContainer{joined->container});
  } else if (const auto* reported = std::get_if<AgentReported>(&fact)) {
    emit(ReleaseContainer{reported->container});
  } else if (std::holds_alternative<MasterRecovered>(fact)) {
    for (const auto& [id, container] : state.containers) {
      if (container.state != ContainerState::Gone) {
        emit(ReleaseContainer{id});
      }
    }
    emit(Finish{*state.outcome});
  }
}

}  // namespace muster::job
