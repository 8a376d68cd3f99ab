#include "job/machine_impl.h"

#include <algorithm>

/// A new master, and agents that report: every pending intent is derived again and compared with
/// what is.
namespace muster::job {

void Machine::Impl::on(const MasterRecovered& recovered) {
  state.epoch = std::max(state.epoch, recovered.epoch);
  emit(Reconcile{});
  for (const auto& [id, what] : pending) {
    emit(SetDeadline{id, what.kind, what.at, what.waits_for});
  }
  for (const auto& [id, request] : state.requests) {
    if (request.cancelled) {
      emit(CancelRequest{id});
    } else {
      emit(ask_of(request));
    }
  }
  for (const auto& [id, container] : state.containers) {
    if (container.state == ContainerState::Launching) {
      emit(LaunchAgent{id});
    } else if (container.state == ContainerState::Draining && container.live == 0) {
      emit(ReleaseContainer{id});
    }
  }
}

void Machine::Impl::on(const AgentReported& reported) {
  generation_floor = std::max(generation_floor, reported.generation.value);
  Container* container = find_container(reported.container);
  if (container == nullptr || container->state == ContainerState::Gone) {
    emit(ReleaseContainer{reported.container});
    return;
  }
  container->suspected = false;
  const bool drained = container->state == ContainerState::Draining && container->live == 0;
  const bool fresh = container->state == ContainerState::Launching;
  became_ready(*container, reported.address);
  if (!reported.address.empty()) {
    container->agent_address = reported.address;
  }
  for (const AttemptReport& report : reported.attempts) {
    const Attempt* attempt = find_live(report.attempt);
    if (attempt != nullptr && attempt->container == container->id) {
      continue;
    }
    reconcile_stranger(*container, report);
  }
  // Ends first, and what has vanished: one of them may end the job, and then nothing is prepared or
  // started any more; and no new view lists them.
  for (const bool ends : {true, false}) {
    for (const TaskId id : container->tasks) {
      Attempt* attempt = live_attempt(id);
      if (attempt == nullptr || attempt->container != container->id) {
        continue;
      }
      const auto report = std::ranges::find(reported.attempts, AttemptId{id, attempt->number},
                                            &AttemptReport::attempt);
      const bool listed = report != reported.attempts.end();
      const bool has_ended = listed && report->phase == AttemptReport::Phase::Ended;
      if (listed && has_ended == ends) {
        reconcile(id, *attempt, *report);
      } else if (!listed && !fresh && ends == (attempt->state != AttemptState::Placed)) {
        reconcile_missing(id, *attempt);
      }
    }
  }
  if (drained) {
    emit(ReleaseContainer{container->id});
  }
}

// Something runs there that is none of ours any more: an attempt given up while its agent was
// silent.
void Machine::Impl::reconcile_stranger(const Container& container, const AttemptReport& report) {
  const TaskId id = report.attempt.task;
  if (id.role.value >= intents.size() || id.index >= intents[id.role.value].size()) {
    return;
  }
  intent(id).number_floor = std::max(intent(id).number_floor, report.attempt.number);
  if (report.phase != AttemptReport::Phase::Ended) {
    emit(StopAttempt{.attempt = report.attempt,
                     .container = container.id,
                     .reason = stopping() ? StopReason::JobEnds : StopReason::Restart});
  }
}

// The agent has never heard of it, or it is gone without a trace.
void Machine::Impl::reconcile_missing(TaskId id, Attempt& attempt) {
  if (attempt.state == AttemptState::Placed && !stopping()) {
    if (!decided) {
      prepare(id, attempt);
    }
    return;
  }
  const bool told = attempt.state == AttemptState::Stopping;
  const Cause cause = cause_of_vanishing(id, attempt, now);
  end(id, attempt, std::nullopt);
  if (told || stopping()) {
    stopped_as_told(id, attempt);
  } else {
    failed(cause);
  }
}

void Machine::Impl::reconcile(TaskId id, Attempt& attempt, const AttemptReport& report) {
  if (report.phase == AttemptReport::Phase::Ended) {
    take_in_end(id, attempt, report.exit.value_or(Exit{}));
    return;
  }
  if (attempt.state == AttemptState::Stopping) {
    emit(StopAttempt{.attempt = report.attempt,
                     .container = attempt.container,
                     .grace = plan.deadlines.stop,
                     .reason = stopping() ? StopReason::JobEnds : StopReason::Restart});
    return;
  }
  switch (report.phase) {
    case AttemptReport::Phase::Preparing:
    case AttemptReport::Phase::Ended:
      return;
    case AttemptReport::Phase::Joined:
      if (attempt.state == AttemptState::Joined && attempt.generation.value != 0 && !stopping() &&
          !decided) {
        // It is a member of the newest view, and its agent obeys no older one.
        attempt.generation = state.generation;
        emit(StartAttempt{report.attempt, attempt.container, attempt.generation});
      }
      joined(id, attempt, report.address);
      return;
    case AttemptReport::Phase::Running:
      if (attempt.generation.value == 0) {
        // It was told so by facts that the log has lost: no generation of ours knows it.
        generation_floor = std::max(generation_floor, report.generation.value);
        tell_to_stop(std::vector<Move>{{.task = id, .grace = plan.deadlines.stop}});
        return;
      }
      on(AttemptStarted{.attempt = report.attempt});
      return;
  }
}

}  // namespace muster::job
