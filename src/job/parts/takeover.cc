#include "job/parts/takeover.h"

#include "job/parts/attempt_facts.h"
#include "job/parts/machine_parts.h"

#include <algorithm>
#include <vector>

namespace muster::job {

void Takeover::take(const MasterRecovered& recovered) {
  parts_.state.epoch = std::max(parts_.state.epoch, recovered.epoch);
  parts_.turn.act(Reconcile{});
  parts_.blame.wait_again();
  parts_.timers.set_again();
  parts_.asks.tell_again();
  parts_.places.tell_again();
}

void Takeover::take(const AgentReported& reported) {
  parts_.views.saw(reported.generation);
  const Container* container = parts_.lives.find(reported.container);
  if (container == nullptr || container->state == ContainerState::Gone) {
    parts_.turn.act(ReleaseContainer{reported.container});
    return;
  }
  parts_.lives.suspect(*container, false);
  const bool drained = container->state == ContainerState::Draining && container->live == 0;
  const bool fresh = container->state == ContainerState::Launching;
  if (fresh) {
    parts_.lives.ready(*container, reported.address);
  }
  if (!reported.address.empty()) {
    parts_.lives.found_at(*container, reported.address);
  }
  for (const AttemptReport& report : reported.attempts) {
    const Attempt* attempt = parts_.lives.find_live(report.attempt);
    if (attempt == nullptr || attempt->container != container->id) {
      reconcile_unknown(container->id, report);
    }
  }
  // Ends and vanished attempts first: one of them may end the job, after which nothing is prepared
  // or started any more; and no new view lists them.
  for (const bool ends : {true, false}) {
    for (const TaskId id : container->tasks) {
      const Attempt* attempt = parts_.lives.live(id);
      if (attempt == nullptr || attempt->container != container->id) {
        continue;
      }
      const auto report = std::ranges::find(reported.attempts, AttemptId{id, attempt->number},
                                            &AttemptReport::attempt);
      const bool listed = report != reported.attempts.end();
      const bool has_ended = listed && report->phase == AttemptReport::Phase::Ended;
      if (fresh && !has_ended && !ends && !parts_.roles.decided()) {
        parts_.attempts.prepare(id);
      }
      if (listed && has_ended == ends) {
        reconcile(id, *report);
      } else if (!listed && !fresh && ends == (attempt->state != AttemptState::Placed)) {
        reconcile_missing(id);
      }
    }
  }
  if (drained) {
    parts_.turn.act(ReleaseContainer{container->id});
  }
}

// Something runs there that is no longer ours: an attempt given up while its agent was silent.
void Takeover::reconcile_unknown(const ContainerId& container, const AttemptReport& report) {
  if (!parts_.lives.knows(report.attempt.task)) {
    return;
  }
  parts_.attempts.saw(report.attempt);
  if (report.phase != AttemptReport::Phase::Ended) {
    parts_.turn.act(
        StopAttempt{.attempt = report.attempt,
                    .container = container,
                    .reason = parts_.lives.stopping() ? StopReason::JobEnds : StopReason::Restart});
  }
}

// The agent has never heard of it, or it is gone without a trace.
void Takeover::reconcile_missing(TaskId id) {
  if (parts_.lives.live(id)->state != AttemptState::Placed || parts_.lives.stopping()) {
    attempt_facts_.pass_on(id, parts_.attempts.vanished(id));
  } else if (!parts_.roles.decided()) {
    parts_.attempts.prepare(id);
  }
}

void Takeover::reconcile(TaskId id, const AttemptReport& report) {
  const Attempt& attempt = *parts_.lives.live(id);
  if (report.phase == AttemptReport::Phase::Ended) {
    attempt_facts_.pass_on(id, parts_.attempts.ended(id, report.exit.value_or(Exit{})));
    return;
  }
  if (attempt.state == AttemptState::Stopping) {
    const bool job_ends = parts_.lives.stopping();
    parts_.attempts.order_stop(
        id, job_ends ? StopReason::JobEnds : StopReason::Restart,
        job_ends ? parts_.ending.stop_times() : StopTimes{.grace = parts_.plan.deadlines.stop});
    return;
  }
  switch (report.phase) {
    case AttemptReport::Phase::Preparing:
    case AttemptReport::Phase::Ended:
      return;
    case AttemptReport::Phase::Joined:
      if (attempt.state == AttemptState::Joined && attempt.generation.value != 0 &&
          !parts_.lives.stopping() && !parts_.roles.decided()) {
        parts_.views.start_again(id);
      }
      attempt_facts_.joined(id, report.address);
      return;
    case AttemptReport::Phase::Running:
      if (attempt.generation.value == 0) {
        // It was started by facts that the log has lost: no generation of ours knows it.
        parts_.views.saw(report.generation);
        parts_.attempts.tell_to_stop(
            std::vector<Move>{{.task = id, .grace = parts_.plan.deadlines.stop}});
        return;
      }
      parts_.attempts.started(id, 0);
      return;
  }
}

}  // namespace muster::job
