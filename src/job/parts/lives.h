#pragma once

#include "job/fact.h"
#include "job/ids.h"
#include "job/plan.h"
#include "job/state.h"
#include "job/transition.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::job {

struct Turn;

/// How many tasks of a role are in each state, and what their attempts were told.
struct Tally {
  uint32_t active = 0;  ///< Equals the number of attempts that have not ended.
  uint32_t succeeded = 0;
  uint32_t failed = 0;
  uint32_t stopped = 0;
  uint32_t started = 0;  ///< Attempts that were told to start and have not ended.

  [[nodiscard]] uint32_t ended() const { return succeeded + failed + stopped; }
  bool operator==(const Tally&) const = default;
};

/// The four life cycles of state.h: job, containers, tasks, attempts. The only way to change them,
/// and the owner of every tally over them. Requires that a change is in its table of transitions,
/// and that what it names exists.
class Lives {
 public:
  /// Writes its part of `state`, and the time line when all tasks are running.
  Lives(const Plan& plan, Turn& turn, State& state);

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const Task& task(TaskId id) const { return state_.task(id); }
  [[nodiscard]] bool knows(TaskId id) const;
  /// Returns the task's attempt that has not ended; nullptr if there is none.
  [[nodiscard]] const Attempt* live(TaskId id) const;
  /// The same, if it is that attempt.
  [[nodiscard]] const Attempt* find_live(AttemptId id) const;
  [[nodiscard]] const Container* find(const ContainerId& id) const;
  [[nodiscard]] bool stopping() const { return state_.phase >= JobPhase::Stopping; }

  void move(JobPhase to);

  /// A container was granted; it belongs to no task until `tasks` are given.
  const Container& grant(const ContainerGranted& granted);
  void assign(const Container& container, RoleIndex role, const std::vector<TaskId>& tasks);
  void move(const Container& container, ContainerState to);
  void ready(const Container& container, const std::string& agent_address);
  void found_at(const Container& container, const std::string& agent_address);
  void suspect(const Container& container, bool suspected);
  void occupy(const Container& container);
  /// Returns how many tasks still have their place there.
  uint32_t vacate(const Container& container);

  /// A new attempt, with `number`, in a slot of the container.
  void place(TaskId id, const Container& where, uint32_t slot, uint32_t number);
  void join(TaskId id, const Address& address);
  /// The attempt is told to start in `generation`, or told again in a newer one.
  void tell_to_start(TaskId id, Generation generation);
  /// Its process is running.
  void run(TaskId id, int32_t pid);
  void tell_to_stop(TaskId id);
  /// The attempt is over, and its task changes to `to`. Returns the container in which it was.
  const Container& end(TaskId id, std::optional<Exit> exit, TaskState to);
  void set_part(AttemptId id, Part part);
  /// Records that the attempt, which must be known, hangs or moves again.
  void note_stall(const AttemptStalled& stalled);
  void publish(const EndpointPublished& published);

  void move(TaskId id, TaskState to);
  void count_restart(TaskId id) { ++edit(id).restarts; }

  [[nodiscard]] const Tally& tally(RoleIndex role) const { return tallies_[role.value]; }
  /// Over all roles.
  [[nodiscard]] Tally sum() const;
  /// Attempts that were told to start and have not reported that they run.
  [[nodiscard]] uint32_t starts_awaited() const { return starts_awaited_; }
  /// Containers that are not gone.
  [[nodiscard]] uint32_t containers_open() const { return containers_open_; }
  /// Returns what a stopping job still waits for, for people: "2 tasks to end", then "1 container
  /// to exit".
  [[nodiscard]] std::string what_must_end() const;
  [[nodiscard]] const TransitionCounts& transitions() const { return transitions_; }
  /// Recounts everything: whether all tallies are right.
  [[nodiscard]] bool tallies_hold() const;

 private:
  [[nodiscard]] Task& edit(TaskId id) { return state_.tasks[id.role.value][id.index]; }
  // All containers are in state_: a second look-up by name would cost more than the change.
  [[nodiscard]] static Container& edit(const Container& container) {
    return const_cast<Container&>(container);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  [[nodiscard]] Tally& count(TaskId id) { return tallies_[id.role.value]; }
  void move(TaskId id, Attempt& attempt, AttemptState to);

  Turn& turn_;
  State& state_;
  std::vector<Tally> tallies_;  ///< By role.
  uint32_t starts_awaited_ = 0;
  uint32_t containers_open_ = 0;
  TransitionCounts transitions_;
};

}  // namespace muster::job
