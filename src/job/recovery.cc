#include "job/machine_impl.h"

#include <algorithm>
#include <vector>

/// A new master, and agents that report: every pending intent is derived again and compared with
/// what is.
namespace muster::job {

void Machine::Impl::recovered(const MasterRecovered& recovered) {
  state_.epoch = std::max(state_.epoch, recovered.epoch);
  turn_.act(Reconcile{});
  timers_.set_again();
  asks_.tell_again();
  places_.tell_again();
}

void Machine::Impl::reported(const AgentReported& reported) {
  views_.saw(reported.generation);
  const Container* container = lives_.find(reported.container);
  if (container == nullptr || container->state == ContainerState::Gone) {
    turn_.act(ReleaseContainer{reported.container});
    return;
  }
  lives_.suspect(*container, false);
  const bool drained = container->state == ContainerState::Draining && container->live == 0;
  const bool fresh = container->state == ContainerState::Launching;
  attempts_.agent_ready(*container, reported.address);
  if (!reported.address.empty()) {
    lives_.found_at(*container, reported.address);
  }
  for (const AttemptReport& report : reported.attempts) {
    const Attempt* attempt = lives_.find_live(report.attempt);
    if (attempt == nullptr || attempt->container != container->id) {
      reconcile_unknown(container->id, report);
    }
  }
  // Ends first, and what has vanished: one of them may end the job, and then nothing is prepared or
  // started any more; and no new view lists them.
  for (const bool ends : {true, false}) {
    for (const TaskId id : container->tasks) {
      const Attempt* attempt = lives_.live(id);
      if (attempt == nullptr || attempt->container != container->id) {
        continue;
      }
      const auto report = std::ranges::find(reported.attempts, AttemptId{id, attempt->number},
                                            &AttemptReport::attempt);
      const bool listed = report != reported.attempts.end();
      const bool has_ended = listed && report->phase == AttemptReport::Phase::Ended;
      if (listed && has_ended == ends) {
        reconcile(id, *report);
      } else if (!listed && !fresh && ends == (attempt->state != AttemptState::Placed)) {
        reconcile_missing(id);
      }
    }
  }
  if (drained) {
    turn_.act(ReleaseContainer{container->id});
  }
}

// Something runs there that is none of ours any more: an attempt given up while its agent was
// silent.
void Machine::Impl::reconcile_unknown(const ContainerId& container, const AttemptReport& report) {
  if (!lives_.knows(report.attempt.task)) {
    return;
  }
  attempts_.saw(report.attempt);
  if (report.phase != AttemptReport::Phase::Ended) {
    turn_.act(StopAttempt{.attempt = report.attempt,
                          .container = container,
                          .reason = lives_.stopping() ? StopReason::JobEnds : StopReason::Restart});
  }
}

// The agent has never heard of it, or it is gone without a trace.
void Machine::Impl::reconcile_missing(TaskId id) {
  if (lives_.live(id)->state != AttemptState::Placed || lives_.stopping()) {
    pass_on(id, attempts_.vanished(id));
  } else if (!roles_.decided()) {
    attempts_.prepare(id);
  }
}

void Machine::Impl::reconcile(TaskId id, const AttemptReport& report) {
  const Attempt& attempt = *lives_.live(id);
  if (report.phase == AttemptReport::Phase::Ended) {
    pass_on(id, attempts_.ended(id, report.exit.value_or(Exit{})));
    return;
  }
  if (attempt.state == AttemptState::Stopping) {
    turn_.act(StopAttempt{.attempt = report.attempt,
                          .container = attempt.container,
                          .grace = plan_.deadlines.stop,
                          .reason = lives_.stopping() ? StopReason::JobEnds : StopReason::Restart});
    return;
  }
  switch (report.phase) {
    case AttemptReport::Phase::Preparing:
    case AttemptReport::Phase::Ended:
      return;
    case AttemptReport::Phase::Joined:
      if (attempt.state == AttemptState::Joined && attempt.generation.value != 0 &&
          !lives_.stopping() && !roles_.decided()) {
        views_.start_again(id);
      }
      joined(id, report.address);
      return;
    case AttemptReport::Phase::Running:
      if (attempt.generation.value == 0) {
        // It was told so by facts that the log has lost: no generation of ours knows it.
        views_.saw(report.generation);
        attempts_.tell_to_stop(std::vector<Move>{{.task = id, .grace = plan_.deadlines.stop}});
        return;
      }
      attempts_.started(id, 0);
      return;
  }
}

}  // namespace muster::job
