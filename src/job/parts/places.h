#pragma once

#include "job/fact.h"
#include "job/ids.h"
#include "job/parts/deps.h"
#include "job/parts/per_task.h"
#include "job/state.h"

#include <set>
#include <string>

namespace muster::job {

class Gangs;

/// Containers and which tasks' places they are: a task keeps its place across attempts until it
/// leaves, and a container that is no task's place any more is given back.
class Places {
 public:
  struct Seat {
    bool at_home = false;  ///< The container of its last attempt is still its place.
    bool leaves = false;   ///< It gives up its place when its attempt ends.
  };

  Places(const Deps& deps, Gangs& gangs);

  [[nodiscard]] const Seat& of(TaskId id) const { return seats_[id]; }
  /// The container becomes, or stays, the task's place.
  void settle(TaskId id, const Container& container);
  void set_leaves(TaskId id, bool leaves) { seats_[id].leaves = leaves; }
  /// Gives up the task's place, if it has one.
  void leave(TaskId id);
  /// The container is lost, and with it the task's place.
  void lost(TaskId id, const Container& container);
  /// The job stops: no task leaves for another place.
  void stay();
  /// Returns whether another task leaves the container of the task's last attempt, and has not
  /// ended yet.
  [[nodiscard]] bool mates_leave(TaskId id) const;

  /// A grant that is not wanted: late or a duplicate. It is recorded all the same, so that it is
  /// released again after a takeover.
  void take_in_unwanted(const ContainerGranted& granted);
  /// Gives a container back once its attempts have ended.
  void drain(const Container& container);
  /// An attempt has ended there.
  void attempt_ended(TaskId id, const Container& container);
  /// For a new master: whatever was told to launch or released is told again.
  void tell_again() const;

  /// A container's end arrived before its grant.
  void ended_unseen(const ContainerId& id) { ended_unseen_.insert(id); }
  /// Returns whether the end of this container has overtaken its grant.
  [[nodiscard]] bool take_ended_unseen(const ContainerId& id) {
    return ended_unseen_.erase(id) > 0;
  }

  /// Recounts: whether each container has as many occupants as it says.
  [[nodiscard]] bool tallies_hold() const;

 private:
  Turn& turn_;
  Lives& lives_;
  Gangs& gangs_;
  PerTask<Seat> seats_;
  std::set<ContainerId> ended_unseen_;
};

}  // namespace muster::job
