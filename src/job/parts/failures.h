#pragma once

#include "job/fact.h"
#include "job/parts/attempts.h"
#include "job/parts/blame.h"
#include "job/parts/cause.h"
#include "job/parts/deps.h"
#include "job/parts/ladder.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::job {

class Asks;
class Restarts;
class Roles;

/// The path of a failure: what is to blame, which rung of the ladder cures it, what is restarted,
/// and what becomes of the job when no rung is left. Owns the ladder; otherwise it passes on what
/// the parts say.
class Failures {
 public:
  Failures(const Deps& deps, Roles& roles, Asks& asks, Attempts& attempts, Blame& blame,
           Restarts& restarts);

  void failed(Cause cause);
  /// A container is lost to us, as Attempts::lose() takes it: its tasks fail together.
  void lose(const Container& container, bool gone, const Attempts::MakeCause& make);
  /// The cluster announces that it will take a container: its tasks are told and get that time to
  /// save, it is given back, and new ones are requested for them. Charged to the infrastructure
  /// budget, not as a failure.
  void preempted(const PreemptionNoticed& notice);
  /// The attempt is running but hangs: does what its role says.
  void stalled(const AttemptStalled& stalled);
  void blame_passed();
  /// The attempts of a batch have had their time to stop.
  void stop_passed(uint32_t batch);
  /// The task has no restarts left; `victims` went with it.
  void give_up(const Cause& origin, const std::vector<Cause>& victims);
  /// The job fails because of it, or starts over.
  void fail_job(const Cause& cause, std::string_view why);

  [[nodiscard]] const Ladder& ladder() const { return ladder_; }

 private:
  void stopped_unlogged(const Cause& cause);
  void act_on(const std::optional<Blame::Verdict>& verdict);
  void move_stalled(const Cause& cause);
  void cure(const Cause& origin, const std::vector<Cause>& victims);
  void let_victims_answer(const Cause& origin, const std::vector<Cause>& victims);
  [[nodiscard]] Duration wait_of(TaskId id) const;

  const Plan& plan_;
  Turn& turn_;
  Lives& lives_;
  Chronicle& chronicle_;
  Roles& roles_;
  Asks& asks_;
  Attempts& attempts_;
  Blame& blame_;
  Restarts& restarts_;
  Ladder ladder_;
};

}  // namespace muster::job
