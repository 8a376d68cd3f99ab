#pragma once

#include "base/time.h"
#include "job/parts/budget.h"
#include "job/parts/cause.h"
#include "job/parts/per_task.h"
#include "job/plan.h"
#include "job/state.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::job {

/// Which rung cures a failure, and how long its restart waits: the budgets of all tasks and of the
/// job. Reads nothing but what it is given and what it has charged.
class Ladder {
 public:
  explicit Ladder(const Plan& plan) : plan_(plan), ledgers_(plan) {}

  /// Charges `rung` to the task, or to the job for Rung::Job; returns false, with nothing charged,
  /// if it is spent.
  [[nodiscard]] bool charge(Rung rung, TaskId id, Time now);

  /// Finds the first rung that can still cure `origin`, and charges it to its task; nullopt if none
  /// is left. A program that ended on its own is moved only if its budget says so. If there is no
  /// other host (`one_host`), none is tried; a failure whose ladder begins there is retried.
  [[nodiscard]] std::optional<Rung> climb(const Cause& origin, bool one_host, Time now);

  /// Returns how long the next restart of a task with that many attempts waits.
  [[nodiscard]] Duration wait_of(TaskId id, size_t attempts, Time now) const;
  /// Returns how long the job waits before it starts over because of a failure in `role`.
  [[nodiscard]] Duration wait_of_job(RoleIndex role, Time now) const;

  /// Describes the newest charge of `rung` for people.
  [[nodiscard]] RestartNote note(Rung rung, const Cause& cause, Duration wait, size_t others,
                                 Time now) const;

  [[nodiscard]] const Ledger& ledger(TaskId id) const { return ledgers_[id]; }

 private:
  const Plan& plan_;
  PerTask<Ledger> ledgers_;
  Ledger job_ledger_;
};

}  // namespace muster::job
