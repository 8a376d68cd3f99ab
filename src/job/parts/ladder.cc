#include "job/parts/ladder.h"

#include <algorithm>
#include <cstddef>

namespace muster::job {
namespace {

/// Returns whether the program chose its end: by an exit code that is not a shell's way of
/// reporting a signal.
bool ended_by_itself(const FirstCause& first) {
  constexpr int32_t kSignalled = 128;
  constexpr int32_t kSignalsMax = 64;
  const bool own =
      first.failure.kind == FailureKind::Program || first.failure.kind == FailureKind::User;
  return own && first.exit_code &&
         (*first.exit_code <= kSignalled || *first.exit_code > kSignalled + kSignalsMax);
}

}  // namespace

bool Ladder::charge(Rung rung, TaskId id, Time now) {
  Ledger& ledger = rung == Rung::Job ? job_ledger_ : ledgers_[id];
  return ledger.charge(rung, now, plan_.role(id.role).restart);
}

std::optional<Rung> Ladder::climb(const Cause& origin, bool one_host, Time now) {
  const RestartBudget& budget = plan_.role(origin.task().role).restart;
  const bool by_itself = origin.rung == Rung::Process && ended_by_itself(origin.first);
  for (const Rung rung : rungs_from(origin.rung)) {
    const bool in_vain = rung == Rung::Host && origin.rung != Rung::Host && one_host;
    const bool unasked = by_itself && ((rung == Rung::Container && !budget.container_for_program) ||
                                       (rung == Rung::Host && !budget.host_for_program));
    if (!in_vain && !unasked && charge(rung, origin.task(), now)) {
      return rung;
    }
  }
  return std::nullopt;
}

Duration Ladder::wait_of(TaskId id, size_t attempts, Time now) const {
  const RestartBudget& budget = plan_.role(id.role).restart;
  const uint32_t nth = std::max(1U, ledgers_[id].count(now, budget));
  const uint64_t who = (static_cast<uint64_t>(id.role.value) << 32) | id.index;
  return backoff_of(budget.backoff_low, budget.backoff_high, nth,
                    jitter_bits(plan_.seed, who, attempts));
}

Duration Ladder::wait_of_job(RoleIndex role, Time now) const {
  const RestartBudget& budget = plan_.role(role).restart;
  const uint32_t nth = job_ledger_.count(now, budget);
  return backoff_of(budget.backoff_low, budget.backoff_high, nth,
                    jitter_bits(plan_.seed, UINT64_MAX, nth));
}

RestartNote Ladder::note(Rung rung, const Cause& cause, Duration wait, size_t others,
                         Time now) const {
  const RestartBudget& budget = plan_.role(cause.task().role).restart;
  const Ledger& ledger = rung == Rung::Job ? job_ledger_ : ledgers_[cause.task()];
  return {.rung = rung,
          .nth = ledger.count(rung, now, budget),
          .limit = limit_of(budget, rung),
          .window = budget.window,
          .wait = wait,
          .others = static_cast<uint32_t>(others),
          .cause = cause.first};
}

}  // namespace muster::job
