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
/// a single task that comes back, a cohort of one.
struct Cohort {
  /// The part of one role in it.
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
  std::vector<TaskId> tasks;  ///< Some may have left since: Gangs::Membership tells.
  std::vector<Share> shares;
  Timer<GatherTimer> gather;
  Timer<HoldTimer> hold;
  Timer<RegatherTimer> regather;
  uint32_t given_back = 0;  ///< How often it gave everything back.
  uint32_t postponed = 0;   ///< How often in a row the headroom was too small to ask again.
};

/// The barriers: who waits with whom, what each cohort still lacks, and when it opens. An
/// incomplete gang holds what others may need to complete theirs: after a while without another
/// grant it gives everything back, and asks again after a randomised wait.
class Gangs {
 public:
  /// What a task's cohort counts of it.
  struct Membership {
    uint32_t cohort = 0;   ///< 0: it waits for no barrier.
    bool granted = false;  ///< It has a container.
    bool joined = false;   ///< Its attempt has joined.
  };

  Gangs(const Deps& deps, Views& views);

  // Who waits with whom. Cohorts are named by their id; 0 is none.
  [[nodiscard]] uint32_t create(bool gang);
  void enter(uint32_t cohort, TaskId id);
  /// A cohort of its own, unless it waits in one.
  void enter_alone(TaskId id);
  void leave(TaskId id);
  void drop_if_empty(uint32_t cohort);
  /// The job stops: nobody waits for a barrier any more.
  void forget();
  /// The gang that comes back after a restart. Whoever of it is on its way alone comes with it.
  [[nodiscard]] uint32_t gather_again();
  [[nodiscard]] const Membership& of(TaskId id) const { return members_[id]; }
  /// nullptr: it waits for no barrier.
  [[nodiscard]] const Cohort* cohort_of(TaskId id) const { return find(members_[id].cohort); }
  [[nodiscard]] const Cohort* find(uint32_t cohort) const;

  // What they have.
  void granted(TaskId id) { count_granted(id, true); }
  void joined(TaskId id) { count_joined(id, true); }
  /// Its attempt has ended, or is to.
  void out(TaskId id);
  /// Its container has been asked for.
  void asked(TaskId id);
  /// Some are no longer waited for: the cohort may be complete now.
  void look_again(uint32_t cohort) { openings_.push_back(cohort); }
  /// The task gives up its place or its attempt, and may not come any more.
  void may_not_come(TaskId id);
  [[nodiscard]] std::vector<uint32_t> take_openings() { return std::exchange(openings_, {}); }

  // The barrier.
  enum class Barrier : uint8_t {
    Shut,
    JoinsAGang,  ///< Complete, and the gang that it joins must start again with it.
    Complete,
  };
  /// Whether a task without an attempt comes back to a place that it has.
  using Returns = std::function<bool(TaskId)>;
  [[nodiscard]] Barrier look_at(uint32_t cohort, const Returns& returns) const;
  /// Starts its members in a new generation. Who is late follows in a cohort that grows.
  void open(uint32_t cohort);
  /// Whether a gang that runs already waits to come back.
  [[nodiscard]] bool gang_waits() const;

  // Deadlines.
  /// The gather deadline has passed. Returns what its cohort had, in words; "": there is none.
  [[nodiscard]] std::string gather_passed(uint32_t cohort);
  /// A hold has passed: returns who gives back what they have.
  [[nodiscard]] std::vector<TaskId> hold_passed(uint32_t cohort);
  /// They have: the cohort waits before it asks again.
  void wait_to_regather(uint32_t cohort);
  /// Returns who asks again; nobody while the headroom is too small.
  [[nodiscard]] std::vector<TaskId> regather_passed(uint32_t cohort);

  /// What the oldest cohort that keeps the job waiting still lacks; "": nobody waits.
  [[nodiscard]] std::string lack() const;
  [[nodiscard]] const std::map<uint32_t, Cohort>& cohorts() const { return cohorts_; }
  /// How many there ever were.
  [[nodiscard]] uint32_t count() const { return count_; }
  /// Counts anew: whether every share is right.
  [[nodiscard]] bool tallies_hold() const;

 private:
  struct Sums {
    uint32_t all = 0;  ///< Tasks that it needs.
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

/// What a container for so many tasks of the role is asked for.
[[nodiscard]] Resources resources_of(const Plan& plan, RoleIndex role, size_t tasks);

}  // namespace muster::job
