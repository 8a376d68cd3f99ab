#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "job/parts/attempts.h"
#include "job/parts/deps.h"
#include "job/parts/timers.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::job {

class Asks;
class Blame;
class Gangs;
class Places;
class Roles;

/// The one restart verb: restarts these tasks in the next generation, each in its slot or in a new
/// container. Everything that restarts does so through here: processes, containers, gangs,
/// preempted tasks, and the whole job. Whether it may, and how long it waits, is up to the caller.
class Restarts {
 public:
  Restarts(const Deps& deps, Roles& roles, Gangs& gangs, Places& places, Asks& asks,
           Attempts& attempts, Blame& blame);

  /// Restarts the tasks after `wait`; a static one takes its gang along. Returns how many tasks
  /// restart, including those of `moves`.
  size_t restart(std::vector<Move> moves, Duration wait);
  /// The members of the gang have changed: `moves` and all running tasks, except `newcomer`, start
  /// again with those that wait for a barrier. Returns false if there is nothing to start again.
  bool regroup(std::vector<Move> moves, std::optional<TaskId> newcomer = {});
  /// The job's last rung: everything is released and, after `wait`, requested anew in the order of
  /// the roles. What has succeeded for good stays so.
  void start_over(Duration wait);

  /// Returns whether the job waits to start over.
  [[nodiscard]] bool waits_to_start_over() const { return start_over_.is_set(); }
  void start_over_passed() { start_over_ = {}; }

 private:
  void widen_to_gang(std::vector<Move>& moves);
  void bring_back(const Move& move, uint32_t gang, DeadlineId backoff);
  void gather_from_running();

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  Lives& lives_;
  Roles& roles_;
  Gangs& gangs_;
  Places& places_;
  Asks& asks_;
  Attempts& attempts_;
  Blame& blame_;
  Timer<StartOverTimer> start_over_;
};

}  // namespace muster::job
