#include "job/parts/failures.h"

#include "base/overloaded.h"
#include "job/action.h"
#include "job/chronicle.h"
#include "job/describe.h"
#include "job/elastic.h"
#include "job/parts/asks.h"
#include "job/parts/lives.h"
#include "job/parts/restarts.h"
#include "job/parts/roles.h"
#include "job/parts/turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

namespace muster::job {

namespace {

/// Returns whether its agent was told to end it, for a reason that only a master gives.
bool was_ordered(const Failure& failure) {
  return failure.kind == FailureKind::Stopped && failure.class_name.starts_with("stopped.");
}

std::vector<Move> moves_of(const std::vector<Cause>& victims) {
  std::vector<Move> moves;
  std::ranges::transform(victims, std::back_inserter(moves),
                         [](const Cause& victim) { return Move{.task = victim.task()}; });
  return moves;
}

}  // namespace

Failures::Failures(const Deps& deps, Roles& roles, Asks& asks, Attempts& attempts, Blame& blame,
                   Restarts& restarts)
    : plan_(deps.plan),
      turn_(deps.turn),
      lives_(deps.lives),
      chronicle_(deps.chronicle),
      roles_(roles),
      asks_(asks),
      attempts_(attempts),
      blame_(blame),
      restarts_(restarts),
      ladder_(deps.plan) {}

void Failures::failed(Cause cause) {
  if (lives_.state().epoch.value > 1 && was_ordered(cause.first.failure)) {
    stopped_unlogged(cause);
    return;
  }
  std::visit(Overloaded{[](const Blame::Waits&) {},
                        [&](const Blame::LateVictim& late) {
                          restarts_.restart({{.task = late.task}}, wait_of(late.task));
                        },
                        [&](const Blame::Verdict& verdict) { act_on(verdict); }},
             blame_.failed(std::move(cause)));
}

// An earlier master told it to stop but could not log that: nobody is to blame, and if somebody had
// asked that master to stop the job, that request still holds.
void Failures::stopped_unlogged(const Cause& cause) {
  lives_.set_part(cause.first.attempt, Part::Stopped);
  if (cause.first.failure.class_name != stopped_class(StopReason::UserStop)) {
    restarts_.restart({{.task = cause.task()}}, wait_of(cause.task()));
  } else if (!roles_.decided()) {
    roles_.decide({.result = JobResult::Stopped,
                   .reason = OutcomeReason::StoppedByUser,
                   .class_name = "stop.user",
                   .message = "stopped by somebody whom an earlier master heard, which could not "
                              "write its log",
                   .first_cause = std::nullopt});
  }
}

void Failures::lose(const Container& container, bool gone, const Attempts::MakeCause& make) {
  act_on(blame_.failed_together(attempts_.lose(container, gone, make)));
}

void Failures::preempted(const PreemptionNoticed& notice) {
  const Container* container = lives_.find(notice.container);
  if (container == nullptr || lives_.stopping() ||
      (container->state != ContainerState::Launching &&
       container->state != ContainerState::Ready)) {
    return;
  }
  std::vector<Move> moves;
  for (const TaskId id : container->tasks) {
    const Attempt* attempt = lives_.live(id);
    if (attempt != nullptr && attempt->container == container->id &&
        attempt->state != AttemptState::Stopping) {
      moves.push_back({.task = id,
                       .placement = Placement::NewContainer,
                       .reason = StopReason::Preemption,
                       .grace = notice.in});
    }
  }
  // With no restarts left to charge, the tasks run on until the container is really taken; that end
  // decides.
  if (moves.empty() || !ladder_.charge(Rung::Infrastructure, moves.front().task, turn_.now)) {
    return;
  }
  blame_.begin_wave(true);
  restarts_.restart(std::move(moves), {});
}

void Failures::stalled(const AttemptStalled& stalled) {
  const TaskId id = stalled.attempt.task;
  const Attempt& attempt = *lives_.live(id);
  const spec::StallAction then = plan_.role(id.role).stall.then;
  if (attempt.state != AttemptState::Running || lives_.stopping() || roles_.decided() ||
      stalled.sure == Sureness::Sign || stalled.silent == Duration::zero() ||
      then == spec::StallAction::Report) {
    return;
  }
  Cause cause = cause_of_stall(id, attempt, stalled, turn_.now);
  if (then == spec::StallAction::Fail) {
    lives_.set_part(stalled.attempt, Part::Origin);
    cause.rung = Rung::None;
    fail_job(cause, "`stall.then` is `fail`");
    return;
  }
  move_stalled(cause);
}

// Unlike a failed attempt this one has not ended: it is told to stop, and if it does not, its
// container is given back.
void Failures::move_stalled(const Cause& cause) {
  const TaskId id = cause.task();
  const std::optional<HeadroomReported>& cluster = lives_.state().headroom;
  const std::optional<Rung> rung = ladder_.climb(cause, cluster && cluster->hosts == 1, turn_.now);
  blame_.begin_wave(rung.has_value());
  lives_.set_part(cause.first.attempt, Part::Origin);
  if (!rung) {
    attempts_.cut_off(id);
    give_up(cause, {});
    return;
  }
  if (cause.harms_host || *rung == Rung::Host) {
    asks_.avoid(cause.first.host, Harm::Place);
  }
  const Duration wait = wait_of(id);
  const size_t restarted = restarts_.restart(
      {{.task = id, .placement = Placement::NewContainer, .grace = plan_.deadlines.stop}}, wait);
  chronicle_.restarting(ladder_.note(*rung, cause, wait, restarted - 1, turn_.now));
}

// An agent that cannot end an attempt cannot be trusted with another: its container is given back.
void Failures::stop_passed(uint32_t batch) {
  for (const AttemptId& told : attempts_.batch_passed(batch)) {
    const Attempt* attempt = lives_.find_live(told);
    if (attempt != nullptr && attempt->state == AttemptState::Stopping) {
      lose(*lives_.find(attempt->container), false, [&](TaskId id, const Attempt& lost) {
        return cause_of_loss(id, lost, LossReason::Silent, turn_.now);
      });
    }
  }
}

void Failures::blame_passed() { act_on(blame_.passed()); }

void Failures::act_on(const std::optional<Blame::Verdict>& verdict) {
  if (!verdict) {
    return;
  }
  const Cause& origin = verdict->origin;
  if (verdict->charged_before) {
    std::vector<Move> moves = moves_of(verdict->victims);
    moves.insert(moves.begin(), {.task = origin.task(), .placement = Placement::NewContainer});
    restarts_.restart(std::move(moves), wait_of(origin.task()));
    return;
  }
  if (origin.harms_host) {
    const bool away = origin.rung == Rung::Infrastructure;
    asks_.avoid(origin.first.host, away ? Harm::Absence : Harm::Place);
  }
  cure(origin, verdict->victims);
}

void Failures::cure(const Cause& origin, const std::vector<Cause>& victims) {
  const TaskId id = origin.task();
  const std::optional<HeadroomReported>& cluster = lives_.state().headroom;
  const bool one_host = cluster && cluster->hosts == 1;
  const std::optional<Rung> rung = ladder_.climb(origin, one_host, turn_.now);
  if (!rung) {
    give_up(origin, victims);
    return;
  }
  blame_.cured(origin);
  if (*rung == Rung::Host) {
    asks_.avoid(origin.first.host, Harm::Place);
  }
  attempts_.set_new_ports(id, origin.first.failure.remedy == Remedy::NewPorts);
  std::vector<Move> moves = moves_of(victims);
  moves.insert(moves.begin(), {.task = id,
                               .placement = *rung == Rung::Process ? Placement::SameSlot
                                                                   : Placement::NewContainer});
  const Duration wait = wait_of(id);
  const size_t restarted = restarts_.restart(std::move(moves), wait);
  chronicle_.restarting(ladder_.note(*rung, origin, wait, restarted - 1, turn_.now));
}

void Failures::give_up(const Cause& origin, const std::vector<Cause>& victims) {
  const TaskId id = origin.task();
  roles_.failed_for_good(id.role, origin);
  const bool shrinks = roles_.can_shrink(id.role);
  const bool chief = plan_.chief_failure_fails_job && plan_.chief == id;
  const bool fatal = plan_.stop_on_first_failure || chief ||
                     (roles_.failure_policy(id.role) == spec::Failure::FailsJob && !shrinks);
  const std::vector<Attempt>& attempts = lives_.task(id).attempts;
  const bool ran = !attempts.empty() && attempts.back().generation.value != 0;
  attempts_.abandon(id, TaskState::Failed);
  if (fatal) {
    fail_job(origin, origin.rung == Rung::None ? "trying again cannot help" : "no restarts left");
    return;
  }
  if (ran && shrinks && changes_together(plan_, id.role)) {
    blame_.cured(origin);
    restarts_.regroup(moves_of(victims));
    return;
  }
  let_victims_answer(origin, victims);
}

// Their role goes on without the origin. If a victim has no restarts left, that is still the
// origin's doing.
void Failures::let_victims_answer(const Cause& origin, const std::vector<Cause>& victims) {
  for (const Cause& victim : victims) {
    if (roles_.decided()) {
      return;
    }
    cure(victim, {});
    if (roles_.decided() && roles_.decided()->first_cause) {
      Outcome outcome = *roles_.decided();
      FirstCause first = origin.first;
      first.victims = static_cast<uint32_t>(victims.size());
      outcome.message = fmt::format("{}; it took {} along, which has no restarts left",
                                    describe(plan_, first), to_string(plan_, victim.task()));
      outcome.class_name = first.failure.class_name;
      outcome.reason = origin.reason;
      outcome.first_cause = std::move(first);
      roles_.decide(std::move(outcome));
    }
  }
}

void Failures::fail_job(const Cause& cause, std::string_view why) {
  if (roles_.decided()) {
    return;
  }
  if (cause.rung != Rung::None && ladder_.charge(Rung::Job, cause.task(), turn_.now)) {
    const Duration wait = ladder_.wait_of_job(cause.task().role, turn_.now);
    restarts_.start_over(wait);
    chronicle_.restarting(ladder_.note(Rung::Job, cause, wait, 0, turn_.now));
    return;
  }
  roles_.decide({.result = JobResult::Failed,
                 .reason = cause.reason,
                 .class_name = cause.first.failure.class_name,
                 .message = fmt::format("{}; {}", describe(plan_, cause.first), why),
                 .first_cause = cause.first});
}

Duration Failures::wait_of(TaskId id) const {
  return ladder_.wait_of(id, lives_.task(id).attempts.size(), turn_.now);
}

}  // namespace muster::job
