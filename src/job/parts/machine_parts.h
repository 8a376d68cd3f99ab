#pragma once

#include "job/parts/asks.h"
#include "job/parts/attempts.h"
#include "job/parts/blame.h"
#include "job/parts/deps.h"
#include "job/parts/ending.h"
#include "job/parts/failures.h"
#include "job/parts/fence.h"
#include "job/parts/gangs.h"
#include "job/parts/lives.h"
#include "job/parts/places.h"
#include "job/parts/restarts.h"
#include "job/parts/roles.h"
#include "job/parts/timers.h"
#include "job/parts/turn.h"
#include "job/parts/views.h"
#include "job/plan.h"
#include "job/state.h"

namespace muster::job {

/// The parts of the machine, from the bottom up: each knows only those above it here. Whatever a
/// part cannot handle it returns, and the parts that take in facts pass it on. `README.md` says
/// which part owns what.
struct MachineParts {
  /// `the_plan` must outlive them.
  explicit MachineParts(const Plan& the_plan);
  MachineParts(const MachineParts&) = delete;
  MachineParts& operator=(const MachineParts&) = delete;

  /// What every part builds on.
  [[nodiscard]] Deps deps() { return {plan, turn, timers, lives, state.chronicle}; }
  /// Recounts everything of which a part keeps a tally, and returns whether the tallies are right.
  [[nodiscard]] bool tallies_hold() const;

  const Plan& plan;
  State state;
  Turn turn;
  Timers timers;
  Lives lives;
  Roles roles;
  Blame blame;
  Views views;
  Gangs gangs;
  Places places;
  Asks asks;
  Fence fence;
  Attempts attempts;
  Restarts restarts;
  Failures failures;
  Ending ending;
};

}  // namespace muster::job
