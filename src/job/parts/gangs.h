#pragma once

#include "job/ids.h"
#include "job/parts/deps.h"
#include "job/parts/per_task.h"
#include "job/parts/timers.h"
#include "job/plan.h"
#include "job/state.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace muster::job {

class Views;

/// Tasks that start together: a barrier that has not opened. With the barrier `as_granted`, and for
/// a single task that restarts, a cohort of one.
struct Cohort {
  /// The part that one role has in it.
  struct Share {
    RoleIndex role;
    uint32_t members = 0;
    uint32_t granted = 0;
    uint32_t joined = 0;
  };
  uint32_t id = 0;
  bool gang = false;          ///< More than its own task waits on it.
  bool restart = false;       ///< Formed by a restart of the gang.
  bool grows = false;         ///< More for an elastic role that has enough: no deadline.
  std::vector<TaskId> tasks;  ///< Some may have left since: see Gangs::Membership.
  std::vector<Share> shares;
  Timer<GatherTimer> gather;
  Timer<HoldTimer> hold;
  Timer<RegatherTimer> regather;
  uint32_t given_back = 0;  ///< How often it gave everything back.
  uint32_t postponed = 0;   ///< How often in a row the headroom was too small to ask again.
};

/// The barriers: which tasks wait together, what each cohort still lacks, and when it opens. An
/// incomplete gang holds what others may need to complete theirs: after a while without another
/// grant it gives everything back, and asks again after a randomized wait.
class Gangs {
 public:
  /// What is counted for a task in its cohort.
  struct Membership {
    uint32_t cohort = 0;   ///< 0: it waits for no barrier.
    bool granted = false;  ///< It has a container.
    bool joined = false;   ///< Its attempt has joined.
  };

  Gangs(const Deps& deps, Views& views);

  // Who waits with whom. Cohorts are named by their id; 0 is none.
  [[nodiscard]] uint32_t create(bool gang);
  void enter(uint32_t cohort, TaskId id);
  /// Puts the task into a cohort of its own, unless it waits in one already.
  void enter_alone(TaskId id);
  void leave(TaskId id);
  void drop_if_empty(uint32_t cohort);
  /// The job stops: no task waits for a barrier any more.
  void forget();
  /// Forms the gang that restarts. Members that are on their way alone join it.
  [[nodiscard]] uint32_t gather_again();
  [[nodiscard]] const Membership& of(TaskId id) const { return members_[id]; }
  /// nullptr if it waits for no barrier.
  [[nodiscard]] const Cohort* cohort_of(TaskId id) const { return find(members_[id].cohort); }
  [[nodiscard]] const Cohort* find(uint32_t cohort) const;

  // What they have.
  void granted(TaskId id) { count_granted(id, true); }
  void joined(TaskId id) { count_joined(id, true); }
  /// Its attempt has ended, or must end.
  void out(TaskId id);
  /// Its container has been asked for.
  void asked(TaskId id);
  /// Some are no longer waited for, so the cohort may be complete now.
  void look_again(uint32_t cohort) { openings_.push_back(cohort); }
  /// The task gives up its place or its attempt, and may not arrive any more.
  void may_not_come(TaskId id);
  [[nodiscard]] std::vector<uint32_t> take_openings() { return std::exchange(openings_, {}); }

  // The barrier.
  enum class Barrier : uint8_t {
    Shut,
    JoinsAGang,  ///< Complete, and the gang that it joins must start again with it.
    Complete,
  };
  /// Returns whether a task without an attempt returns to a place that it has.
  using Returns = std::function<bool(TaskId)>;
  [[nodiscard]] Barrier look_at(uint32_t cohort, const Returns& returns) const;
  /// Starts its members in a new generation. Late ones follow in a growing cohort.
  void open(uint32_t cohort);
  /// Returns whether a gang that is already running waits to restart.
  [[nodiscard]] bool gang_waits() const;

  // Deadlines.
  /// The gather deadline has passed. Returns what its cohort had, in words; "" if there is none.
  [[nodiscard]] std::string gather_passed(uint32_t cohort);
  /// A hold has passed: returns which tasks give back what they have.
  [[nodiscard]] std::vector<TaskId> hold_passed(uint32_t cohort);
  /// They have done so: the cohort waits before it asks again.
  void wait_to_regather(uint32_t cohort);
  /// Returns which tasks ask again; none while the headroom is too small.
  [[nodiscard]] std::vector<TaskId> regather_passed(uint32_t cohort);

  /// Returns what the oldest cohort that keeps the job waiting still lacks; "" if nothing is
  /// awaited.
  [[nodiscard]] std::string lack() const;
  [[nodiscard]] const std::map<uint32_t, Cohort>& cohorts() const { return cohorts_; }
  /// How many there ever were.
  [[nodiscard]] uint32_t count() const { return count_; }
  /// Recounts: whether every share is right.
  [[nodiscard]] bool tallies_hold() const;

 private:
  struct Sums {
    uint32_t all = 0;  ///< Tasks it needs.
    uint32_t granted = 0;
    uint32_t joined = 0;
    std::string what;  ///< "worker tasks"
  };
  void count_granted(TaskId id, bool granted);
  void count_joined(TaskId id, bool joined);
  [[nodiscard]] uint32_t needed(const Cohort& cohort, const Cohort::Share& share) const;
  [[nodiscard]] bool complete(const Cohort& cohort) const;
  [[nodiscard]] Sums sums(const Cohort& cohort) const;
  [[nodiscard]] std::string lack_of(const Cohort& cohort) const;
  void watch_gathering(Cohort& cohort);
  void watch_hold(Cohort& cohort);
  void regather_after(Cohort& cohort, uint32_t nth, std::string waits_for);
  [[nodiscard]] bool headroom_suffices(const Cohort& cohort) const;
  void clear_timers(Cohort& cohort);

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  Lives& lives_;
  Chronicle& chronicle_;
  Views& views_;
  std::map<uint32_t, Cohort> cohorts_;
  uint32_t count_ = 0;
  PerTask<Membership> members_;
  std::vector<uint32_t> openings_;  ///< Cohorts that may be complete now.
};

/// Returns what a container for that many tasks of the role requests.
[[nodiscard]] Resources resources_of(const Plan& plan, RoleIndex role, size_t tasks);

}  // namespace muster::job
