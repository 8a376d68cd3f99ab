#include "job/machine_impl.h"

#include <algorithm>
#include <cstddef>
#include <utility>

/// Blame: which of a wave of failures is its origin. Victims often end before the culprit is known,
/// so a peer loss waits up to the agent time-out for an origin; everything else is one at once.
namespace muster::job {

void Machine::Impl::failed(Cause cause) {
  const TaskId id = cause.task();
  if (cause.first.failure.kind != FailureKind::PeerLoss) {
    settle(std::move(cause), {});
    return;
  }
  const bool late =
      wave_cured && wave_at && now - *wave_at <= plan.liveness.lost && intent(id).victim_of != wave;
  if (late) {
    // Once per wave: a task that goes on losing its peers needs another reason.
    intent(id).victim_of = wave;
    set_part(cause, Part::Victim);
    restart({{.task = id}}, wait_of(id));
    return;
  }
  losses.push_back(std::move(cause));
  if (live_started == 0) {
    settle_losses();
    return;
  }
  if (blame.value == 0) {
    blame_extended = false;
    blame = set_deadline({.kind = DeadlineKind::Blame,
                          .at = now + plan.liveness.lost,
                          .waits_for = "the origin of lost connections"});
  }
}

// Several attempts went with one container: one cause, and the first of them stands for it.
void Machine::Impl::failed_together(std::vector<Cause> causes) {
  if (causes.empty()) {
    return;
  }
  Cause origin = std::move(causes.front());
  causes.erase(causes.begin());
  settle(std::move(origin), std::move(causes));
}

// Nobody else is to blame: the earliest loss is its own origin.
void Machine::Impl::settle_losses() {
  if (losses.empty()) {
    return;
  }
  const auto earliest = std::ranges::min_element(losses, {}, &Cause::at);
  Cause origin = std::move(*earliest);
  losses.erase(earliest);
  settle(std::move(origin), {});
}

void Machine::Impl::settle(Cause origin, std::vector<Cause> victims) {
  std::ranges::move(std::exchange(losses, {}), std::back_inserter(victims));
  clear(blame);
  origin.first.victims = static_cast<uint32_t>(victims.size());
  set_part(origin, Part::Origin);
  const auto recent = host_lost.find(origin.first.host);
  const bool charged_before = origin.rung == Rung::Infrastructure && origin.harms_host &&
                              recent != host_lost.end() &&
                              now - recent->second <= plan.liveness.lost && wave_cured;
  if (!charged_before) {
    ++wave;
    wave_at = now;
  }
  for (const Cause& victim : victims) {
    set_part(victim, Part::Victim);
    intent(victim.task()).victim_of = wave;
  }
  if (charged_before) {
    // The same host, told of container by container: one wave, charged already.
    set_part(origin, Part::Victim);
    std::vector<Move> moves = {{.task = origin.task(), .placement = Placement::NewContainer}};
    for (const Cause& victim : victims) {
      moves.push_back({.task = victim.task()});
    }
    restart(std::move(moves), wait_of(origin.task()));
    return;
  }
  if (origin.harms_host) {
    const bool away = origin.rung == Rung::Infrastructure;
    avoided.note(origin.first.host, now, away ? Harm::Absence : Harm::Place);
  }
  if (origin.rung == Rung::Infrastructure && origin.harms_host) {
    host_lost[origin.first.host] = now;
  }
  decide(origin, victims);
}

void Machine::Impl::decide(const Cause& origin, const std::vector<Cause>& victims) {
  const TaskId id = origin.task();
  for (const Rung rung : rungs_from(origin.rung)) {
    const bool moves_it = rung == Rung::Container || rung == Rung::Host;
    if (moves_it && repeats_itself(origin)) {
      break;
    }
    if (!charge(rung, id)) {
      continue;
    }
    if (rung == Rung::Host) {
      avoided.note(origin.first.host, now, Harm::Place);
    }
    intent(id).new_ports = origin.first.failure.remedy == Remedy::NewPorts;
    std::vector<Move> moves = {
        {.task = id,
         .placement = rung == Rung::Process ? Placement::SameSlot : Placement::NewContainer}};
    for (const Cause& victim : victims) {
      moves.push_back({.task = victim.task()});
    }
    wave_cured = true;
    const Duration wait = wait_of(id);
    const size_t restarted = restart(std::move(moves), wait);
    note_restart(rung, origin, wait, restarted - 1);
    return;
  }
  wave_cured = false;
  give_up(origin, victims);
}

/// Tells whether the last attempts of the origin's task, as many as its process rung gave it, all
/// ended alike soon after their start: by themselves with the same exit code, or over their memory.
bool Machine::Impl::repeats_itself(const Cause& origin) const {
  constexpr Duration kSoon = std::chrono::minutes(1);
  const RestartBudget& budget = plan.role(origin.task().role).restart;
  const std::vector<Attempt>& attempts = state.task(origin.task()).attempts;
  const size_t rounds = budget.process + 1;
  const bool by_itself =
      origin.first.failure.kind == FailureKind::Program && origin.first.exit_code;
  if (!budget.stops_on_repeat || attempts.size() < rounds) {
    return false;
  }
  return std::all_of(attempts.end() - static_cast<std::ptrdiff_t>(rounds), attempts.end(),
                     [&](const Attempt& attempt) {
                       const bool alike =
                           attempt.exit &&
                           (attempt.exit->over_memory ||
                            (by_itself && attempt.exit->exit_code == origin.first.exit_code));
                       return alike && attempt.ended - attempt.started < kSoon;
                     });
}

void Machine::Impl::set_part(const Cause& cause, Part part) {
  std::vector<Attempt>& attempts = task(cause.task()).attempts;
  const auto at =
      std::ranges::lower_bound(attempts, cause.first.attempt.number, {}, &Attempt::number);
  at->part = part;
}

}  // namespace muster::job
