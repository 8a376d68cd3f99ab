#pragma once

#include "job/blame.h"
#include "job/cause.h"
#include "job/deps.h"

#include <optional>
#include <string_view>
#include <vector>

namespace muster::job {

class Asks;
class Attempts;
class Ladder;
class Restarts;
class Roles;

/// The way of a failure: who is to blame, which rung of the ladder cures it, what is restarted, and
/// what becomes of the job when nothing is left. Owns nothing; it passes on what the parts say.
class Failures {
 public:
  Failures(const Deps& deps, Roles& roles, Asks& asks, Attempts& attempts, Blame& blame,
           Ladder& ladder, Restarts& restarts);

  void failed(Cause cause);
  void failed_together(std::vector<Cause> causes);
  void blame_passed();
  /// The task has no restarts left; `victims` went with it.
  void give_up(const Cause& origin, const std::vector<Cause>& victims);
  /// The job fails by it, or starts over.
  void fail_job(const Cause& cause, std::string_view why);

 private:
  void act_on(const std::optional<Blame::Verdict>& verdict);
  void cure(const Cause& origin, const std::vector<Cause>& victims);
  void let_victims_answer(const Cause& origin, const std::vector<Cause>& victims);
  [[nodiscard]] Duration wait_of(TaskId id) const;

  const Plan& plan_;
  Turn& turn_;
  Lives& lives_;
  Roles& roles_;
  Asks& asks_;
  Attempts& attempts_;
  Blame& blame_;
  Ladder& ladder_;
  Restarts& restarts_;
};

}  // namespace muster::job
