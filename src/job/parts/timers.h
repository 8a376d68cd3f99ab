#pragma once

#include "base/time.h"
#include "job/action.h"
#include "job/ids.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace muster::job {

struct Turn;

/// What a timer waits for, and for which task or cohort; one type each. People and the log see only
/// its DeadlineKind. This one: the first container must be granted.
struct QueueTimer {};
/// A cohort must have all its containers.
struct GatherTimer {
  uint32_t cohort = 0;
};
/// An attempt that was placed must join.
struct JoinTimer {
  TaskId task;
};
/// The job must end.
struct RunTimer {};
/// Attempts that were told to stop together must end.
struct BatchTimer {
  uint32_t batch = 0;
};
/// The job is stopping, and its attempts or containers must be gone.
struct EndTimer {};
/// A restart waits; holds its tasks.
struct RestartTimer {
  std::vector<TaskId> tasks;
};
/// The whole job waits to start over.
struct StartOverTimer {};
/// A refused request waits to be made again; holds its tasks.
struct AskTimer {
  std::vector<TaskId> tasks;
};
/// A host that was away becomes acceptable again; holds one task of each request that leaves it
/// out.
struct HostReturnTimer {
  std::vector<TaskId> tasks;
};
/// A request waits while it leaves out hosts that the plan says to avoid.
struct PardonTimer {};
/// An incomplete gang must get another container, or gives back those that it holds.
struct HoldTimer {
  uint32_t cohort = 0;
};
/// A gang that gave everything back waits to ask again.
struct RegatherTimer {
  uint32_t cohort = 0;
};
/// The origin of lost peers must show up.
struct BlameTimer {};
/// What may live on in a lost container must be confirmed gone.
struct FenceTimer {
  ContainerId container;
};
/// The role must end after those that it follows.
struct GroupTimer {
  RoleIndex role;
};

using Purpose = std::variant<QueueTimer, GatherTimer, JoinTimer, RunTimer, BatchTimer, EndTimer,
                             RestartTimer, StartOverTimer, AskTimer, HostReturnTimer, PardonTimer,
                             HoldTimer, RegatherTimer, BlameTimer, FenceTimer, GroupTimer>;

[[nodiscard]] DeadlineKind kind_of(const Purpose& purpose);

/// A timer of one purpose as its owner holds it; 0 if none is set. The owner clears it when the
/// timer has passed.
template <class P>
struct Timer {
  DeadlineId id;

  [[nodiscard]] bool is_set() const { return id.value != 0; }
};

/// The timers that are set. Ids are counted from 1 and never reused.
class Timers {
 public:
  struct Pending {
    Purpose purpose;
    Time at{};
    std::string waits_for;
  };

  /// `turn` gets the actions.
  explicit Timers(Turn& turn) : turn_(turn) {}

  /// Sets a timer for the job time `at`; `waits_for` is for people.
  template <class P>
  [[nodiscard]] Timer<P> set(P purpose, Time at, std::string waits_for) {
    return {add(Purpose(std::move(purpose)), at, std::move(waits_for))};
  }
  /// Moves a timer that is set to another time.
  template <class P>
  void move(const Timer<P>& timer, Time at) {
    move_to(timer.id, at);
  }
  /// The same, if set_again() is about to tell a new master's shell.
  template <class P>
  void put_off(const Timer<P>& timer, Time at) {
    pending_.at(timer.id).at = at;
  }
  /// Clears the handle, and cancels the timer unless it has passed.
  template <class P>
  void clear(Timer<P>& timer) {
    drop(std::exchange(timer.id, {}));
  }
  /// Returns the purpose of a timer that is set, for changing whom it is for.
  template <class P>
  [[nodiscard]] P& purpose_of(const Timer<P>& timer) {
    return std::get<P>(pending_.at(timer.id).purpose);
  }

  /// Takes out a timer that has passed; nullopt if it is no longer set.
  [[nodiscard]] std::optional<Purpose> pass(DeadlineId id);
  /// Cancels all of them: remaining handles mean nothing.
  void clear_all();
  /// Passes all of them to a new master's shell.
  void set_again() const;

  /// Returns what the oldest wait before a restart waits for; nullptr if no restart waits.
  [[nodiscard]] const std::string* restart_wait() const;
  [[nodiscard]] const std::map<DeadlineId, Pending>& pending() const { return pending_; }
  /// How many were ever set.
  [[nodiscard]] uint32_t count() const { return count_; }

 private:
  [[nodiscard]] DeadlineId add(Purpose purpose, Time at, std::string waits_for);
  void move_to(DeadlineId id, Time at);
  void drop(DeadlineId id);

  Turn& turn_;
  std::map<DeadlineId, Pending> pending_;
  std::set<DeadlineId> backoffs_;  ///< Those of DeadlineKind::Backoff.
  uint32_t count_ = 0;
};

}  // namespace muster::job
