#pragma once

#include "base/time.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/plan.h"
#include "job/state.h"
#include "job/transition.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace muster::job {

/// The one place where decisions about a job are made. A value: no threads, clocks,
/// random numbers, sockets, files or logs inside, and everything it knows came through the Plan and
/// apply().
///
/// The master's shell feeds it facts with job times that never decrease, writes each fact to the
/// event log, and performs the returned actions once the fact is there. Replaying a log's facts
/// gives the same state and the same actions, byte by byte. It accepts any fact in any order
/// without failing: late, doubled and unknown ones change nothing.
class Machine {
 public:
  explicit Machine(Plan plan);
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  /// Takes in one fact and returns what to do, in order. `now` must not be before the last one.
  [[nodiscard]] std::vector<Action> apply(Time now, const Fact& fact);

  [[nodiscard]] const Plan& plan() const;
  [[nodiscard]] const State& state() const;

  /// Returns whether a commit by `attempt` of `generation` may be granted now: it is running, and
  /// the generation is the current one. The shell checks this before it enters CheckpointCommitted.
  [[nodiscard]] bool may_commit(AttemptId attempt, Generation generation) const;

  /// How often each transition of state.h was taken by this machine (not across a recovery).
  [[nodiscard]] const TransitionCounts& transitions() const;

  /// Recounts everything that it keeps a tally of, and returns whether the tallies are right.
  [[nodiscard]] bool tallies_hold() const;

  /// Returns a hash of everything the machine knows, for replay checks. Equal histories give equal
  /// digests.
  [[nodiscard]] uint64_t digest() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Raised with every change of what a log's facts lead to; stands in the event log's header. 2: a
/// program that ends by itself is not tried in other places unless its budget says so. 3: a
/// container's end may have a class, and one over its memory is not tried again. 4: what replaces a
/// lost attempt starts only when the old container is confirmed gone, or after a while. 5: a victim
/// belongs to a wave by when it ended, a new master waits anew for the origin of lost peers, and
/// what an earlier master stopped without writing it down is nobody's fault. 6: what had not
/// started is no origin of lost peers, and neither it nor a failure that leads to no restart ends a
/// wave. 7: a role that is late after others and is no longer waited for may still fail the job.
inline constexpr uint32_t kMachineVersion = 7;

}  // namespace muster::job
