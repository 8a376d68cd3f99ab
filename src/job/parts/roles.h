#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "job/outcome.h"
#include "job/parts/cause.h"
#include "job/parts/deps.h"
#include "job/parts/per_task.h"
#include "job/parts/timers.h"
#include "job/plan.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::job {

/// What the ends of tasks mean: the policies of each role in their current state, whose success is
/// final, which role may be requested, and the outcome once it is decided.
class Roles {
 public:
  struct Flags {
    bool final = false;         ///< Its success can no longer be taken back.
    bool given_up = false;      ///< Its elastic role goes on without it.
    bool ever_started = false;  ///< Or ended without starting; since the job began or started over.
  };

  explicit Roles(const Deps& deps);

  // Tasks.
  [[nodiscard]] const Flags& flags(TaskId id) const { return flags_[id]; }
  /// The task has started, or ended without starting.
  void note_started(TaskId id);
  void set_given_up(TaskId id, bool given_up) { flags_[id].given_up = given_up; }
  void set_final(TaskId id, bool final) { flags_[id].final = final; }
  /// Its success becomes final once its generation closes.
  void succeeded_for_now(TaskId id) { provisional_.push_back(id); }
  /// The generation has closed: returns those tasks whose success may be final now.
  [[nodiscard]] std::vector<TaskId> close_generation() { return std::exchange(provisional_, {}); }
  /// The job starts over, and the task has not started yet.
  void start_over(TaskId id);

  // Roles.
  [[nodiscard]] bool asked(RoleIndex role) const { return standings_[role.value].asked; }
  void set_asked(RoleIndex role) { standings_[role.value].asked = true; }
  /// The job starts over: the role is requested again, if any of its tasks is.
  void reopen(RoleIndex role, bool any);
  /// Something relies on the role's end from now on; returns false if something already did.
  [[nodiscard]] bool rely_on(RoleIndex role);
  [[nodiscard]] spec::Failure failure_policy(RoleIndex role) const;
  /// Returns whether the role can continue with one task less.
  [[nodiscard]] bool can_shrink(RoleIndex role) const;
  [[nodiscard]] bool met(const After& after) const;
  /// Returns whether the condition can no longer be met.
  [[nodiscard]] bool never_met(const After& after) const;
  /// Remembers the first task that failed for good.
  void failed_for_good(RoleIndex role, const std::optional<Cause>& cause);
  [[nodiscard]] const std::optional<Cause>& failed_by(RoleIndex role) const;

  // The job.
  /// The job starts and must be reviewed; returns false if it has started before.
  [[nodiscard]] bool begin();
  [[nodiscard]] bool began() const { return began_; }
  [[nodiscard]] const std::optional<Outcome>& decided() const { return decided_; }
  void decide(Outcome outcome) { decided_ = std::move(outcome); }
  [[nodiscard]] std::optional<Outcome> take_decision() {
    return std::exchange(decided_, std::nullopt);
  }
  /// Fails the job unless its end has begun: `what_not` did not happen within `patience`.
  void fail_by_deadline(std::string_view name, Duration patience, std::string_view what_not);

  struct Completion {
    bool over = false;
    std::optional<Cause> failed_by;  ///< The job must fail because of it, or start over.
  };
  /// Decides whether the job has ended.
  [[nodiscard]] Completion review_completion();
  void review_group_deadlines();
  void group_passed(RoleIndex role);
  /// The job must be reviewed once everything else has settled.
  void ask_review() { review_due_ = true; }
  [[nodiscard]] bool take_review() { return std::exchange(review_due_, false); }

  /// Recounts: whether the number of started tasks is right for each role.
  [[nodiscard]] bool tallies_hold() const;

 private:
  struct Standing {
    spec::Success success = spec::Success::Required;
    spec::Failure failure = spec::Failure::FailsJob;
    bool asked = false;         ///< What it waits for (`after`) has come about.
    bool relied_on = false;     ///< Successes in it are final.
    bool group_passed = false;  ///< Its group deadline has passed.
    uint32_t started = 0;       ///< Tasks with Flags::ever_started.
    Timer<GroupTimer> group;
    std::optional<Cause> failed_by;  ///< The cause of its first task that failed for good.
  };
  [[nodiscard]] bool counts(size_t role) const;
  [[nodiscard]] bool all_ended(RoleIndex role) const;
  void end_well(uint32_t failed, uint32_t counted);

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  Lives& lives_;
  std::vector<Standing> standings_;  ///< By role.
  PerTask<Flags> flags_;
  std::vector<TaskId> provisional_;  ///< Succeeded in this generation, not yet for good.
  std::optional<Outcome> decided_;   ///< The job is to stop once the fact is taken in.
  bool began_ = false;
  bool review_due_ = false;
};

}  // namespace muster::job
