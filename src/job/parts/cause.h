#pragma once

#include "base/time.h"
#include "job/fact.h"
#include "job/failure.h"
#include "job/outcome.h"
#include "job/parts/budget.h"
#include "job/plan.h"
#include "job/state.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::job {

/// One failure that may become a first cause: the attempt's end with everything that determines
/// what follows.
struct Cause {
  FirstCause first;                                     ///< What people will read.
  Rung rung = Rung::Process;                            ///< Where on the ladder its cure begins.
  OutcomeReason reason = OutcomeReason::ProgramFailed;  ///< If the job fails because of it.
  bool harms_host = false;                              ///< Its host is to be avoided.
  Time at{};                                            ///< When it happened, as far as known.

  [[nodiscard]] TaskId task() const { return first.attempt.task; }
};

/// Returns the cause for an exit that an agent reported at `now`. Exits without a class of their
/// own become "exit.unknown".
[[nodiscard]] Cause cause_of_exit(TaskId task, const Attempt& attempt, const Exit& exit, Time now);

/// Returns the cause for an attempt whose container ended while it was running.
[[nodiscard]] Cause cause_of_end(TaskId task, const Attempt& attempt, const ContainerEnded& ended,
                                 Time now);

/// Returns the cause for an attempt whose agent was lost.
[[nodiscard]] Cause cause_of_loss(TaskId task, const Attempt& attempt, LossReason reason, Time now);

/// Returns the cause for an attempt whose agent could not be started.
[[nodiscard]] Cause cause_of_launch(TaskId task, const Attempt& attempt, const std::string& reason,
                                    Time now);

/// Returns the cause for an attempt that its agent no longer knows.
[[nodiscard]] Cause cause_of_vanishing(TaskId task, const Attempt& attempt, Time now);

/// Returns the cause for an attempt that did not join within `patience`.
[[nodiscard]] Cause cause_of_join_deadline(TaskId task, const Attempt& attempt, Duration patience,
                                           Time now);

/// Returns the cause for an attempt that hangs.
[[nodiscard]] Cause cause_of_stall(TaskId task, const Attempt& attempt,
                                   const AttemptStalled& stalled, Time now);

}  // namespace muster::job
