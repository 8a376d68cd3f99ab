#include "job/parts/cause.h"

#include "base/check.h"

#include <fmt/format.h>

#include <utility>

namespace muster::job {

namespace {

/// What the machine knows about an end that no agent classified. The class says what to do about
/// it.
struct LossClass {
  std::string_view name;
  FailureKind kind = FailureKind::Infrastructure;
  Rung rung = Rung::Container;
  bool harms_host = false;
};

LossClass class_of(ContainerEndKind kind) {
  switch (kind) {
    case ContainerEndKind::Completed:
      return {.name = "agent.ended"};
    case ContainerEndKind::Released:
      return {.name = "container.released", .rung = Rung::Infrastructure};
    case ContainerEndKind::HostLost:
      return {.name = "host.lost", .rung = Rung::Infrastructure, .harms_host = true};
    case ContainerEndKind::Preempted:
      return {.name = "container.preempted", .rung = Rung::Infrastructure};
    case ContainerEndKind::OverMemory:
      return {.name = "memory.limit", .kind = FailureKind::Resource, .rung = Rung::None};
    case ContainerEndKind::LaunchFailed:
      return {.name = "container.launch", .rung = Rung::Host, .harms_host = true};
    case ContainerEndKind::Killed:
      return {.name = "container.killed"};
  }
  MUSTER_CHECK(false, "unknown ContainerEndKind");
}

LossClass class_of(LossReason reason) {
  switch (reason) {
    case LossReason::Silent:
      return {.name = "agent.silent", .rung = Rung::Infrastructure, .harms_host = true};
    case LossReason::Closed:
      return {.name = "agent.ended"};
    case LossReason::Unreachable:
      return {.name = "agent.unreachable", .rung = Rung::Infrastructure, .harms_host = true};
  }
  MUSTER_CHECK(false, "unknown LossReason");
}

FirstCause first_of(TaskId task, const Attempt& attempt) {
  FirstCause first;
  first.attempt = {task, attempt.number};
  first.host = attempt.host;
  first.container = attempt.container;
  return first;
}

Cause from_class(TaskId task, const Attempt& attempt, const LossClass& loss, std::string evidence,
                 Time now) {
  Cause cause;
  cause.first = first_of(task, attempt);
  cause.first.failure = {.class_name = std::string(loss.name),
                         .kind = loss.kind,
                         .evidence = std::move(evidence),
                         .hint = {}};
  cause.rung = loss.rung;
  cause.reason = loss.kind == FailureKind::Infrastructure ? OutcomeReason::ClusterFailed
                                                          : OutcomeReason::ProgramFailed;
  cause.harms_host = loss.harms_host;
  cause.at = now;
  return cause;
}

Rung rung_of(const Failure& failure) {
  if (failure.remedy == Remedy::GiveUp) {
    return Rung::None;
  }
  if (failure.kind == FailureKind::Infrastructure || failure.kind == FailureKind::Stopped) {
    return Rung::Infrastructure;
  }
  return failure.remedy == Remedy::Elsewhere ? Rung::Host : Rung::Process;
}

/// A rule names the end of a container. Its place is gone, so the remedy begins with a new one.
void rename_by_rule(Cause& cause, const Failure& failure) {
  const bool away =
      failure.kind == FailureKind::Infrastructure || failure.kind == FailureKind::Stopped;
  const bool was_away = cause.first.failure.kind == FailureKind::Infrastructure;
  cause.harms_host = failure.remedy == Remedy::Elsewhere;
  if (failure.remedy == Remedy::GiveUp) {
    cause.rung = Rung::None;
  } else if (!away) {
    cause.rung = cause.harms_host ? Rung::Host : Rung::Container;
  } else if (cause.harms_host || !was_away) {
    cause.rung = Rung::Infrastructure;
  }
  cause.reason = away ? OutcomeReason::ClusterFailed : OutcomeReason::ProgramFailed;
  cause.first.failure = failure;
}

}  // namespace

Cause cause_of_exit(TaskId task, const Attempt& attempt, const Exit& exit, Time now) {
  Cause cause;
  cause.first = first_of(task, attempt);
  cause.first.exit_code = exit.exit_code;
  cause.first.signal = exit.signal;
  if (exit.failure) {
    cause.first.failure = *exit.failure;
  } else {
    cause.first.failure.class_name = "exit.unknown";
  }
  const Failure& failure = cause.first.failure;
  cause.rung = rung_of(failure);
  cause.reason = cause.rung == Rung::Infrastructure ? OutcomeReason::ClusterFailed
                                                    : OutcomeReason::ProgramFailed;
  cause.harms_host = failure.remedy == Remedy::Elsewhere;
  cause.at = now - exit.age;
  return cause;
}

Cause cause_of_end(TaskId task, const Attempt& attempt, const ContainerEnded& ended, Time now) {
  Cause cause = from_class(task, attempt, class_of(ended.kind), ended.diagnostics, now);
  cause.first.exit_code = ended.exit_code;
  if (ended.failure) {
    rename_by_rule(cause, *ended.failure);
  }
  return cause;
}

Cause cause_of_loss(TaskId task, const Attempt& attempt, LossReason reason, Time now) {
  return from_class(task, attempt, class_of(reason), "", now);
}

Cause cause_of_launch(TaskId task, const Attempt& attempt, const std::string& reason, Time now) {
  return from_class(task, attempt, class_of(ContainerEndKind::LaunchFailed), reason, now);
}

Cause cause_of_vanishing(TaskId task, const Attempt& attempt, Time now) {
  return from_class(task, attempt, {.name = "attempt.vanished"}, "", now);
}

Cause cause_of_join_deadline(TaskId task, const Attempt& attempt, Duration patience, Time now) {
  Cause cause = from_class(task, attempt, {.name = "deadline.join"},
                           fmt::format("not joined within {}", format_duration(patience)), now);
  cause.reason = OutcomeReason::DeadlinePassed;
  return cause;
}

Cause cause_of_stall(TaskId task, const Attempt& attempt, const AttemptStalled& stalled, Time now) {
  // If nothing sets it apart from its peers, its host is as good as theirs.
  const bool suspect = stalled.sure != Sureness::Unsure;
  Cause cause =
      from_class(task, attempt,
                 {.name = Failure::kStalled,
                  .kind = FailureKind::Program,
                  .rung = suspect ? Rung::Host : Rung::Container,
                  .harms_host = suspect},
                 fmt::format("no progress for {}{}{}{}{}", format_duration(stalled.silent),
                             stalled.place.empty() ? "" : " in ", stalled.place,
                             stalled.evidence.empty() ? "" : "\n", stalled.evidence),
                 now);
  cause.first.failure.remedy = suspect ? Remedy::Elsewhere : Remedy::Restart;
  return cause;
}

}  // namespace muster::job
