#pragma once

#include "base/time.h"
#include "job/fact.h"
#include "job/ids.h"
#include "job/parts/asks.h"
#include "job/parts/cause.h"
#include "job/parts/deps.h"
#include "job/parts/per_task.h"
#include "job/parts/stop_batches.h"
#include "job/parts/timers.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace muster::job {

class Fence;
class Gangs;
class Places;
class Roles;
class Views;

/// One task's part in a restart.
struct Move {
  TaskId task;
  Placement placement = Placement::SameSlot;
  StopReason reason = StopReason::Restart;
  Duration grace{};
};

/// Attempts from placement to end: placed, prepared, joined, told to stop, ended, lost. Keeps the
/// other parts' records of each up to date; tells the caller what an end means for the job.
class Attempts {
 public:
  struct Run {
    bool new_ports = false;     ///< The next attempt must not keep its port.
    uint32_t number_floor = 0;  ///< No attempt number up to this is used again.
    Timer<JoinTimer> join;
  };
  /// What an end means, if it was neither ordered nor overtaken by the job's end.
  struct Meaning {
    std::optional<Cause> failed;
    bool succeeded = false;
  };
  using MakeCause = std::function<Cause(TaskId, const Attempt&)>;

  Attempts(const Deps& deps, Roles& roles, Views& views, Gangs& gangs, Places& places, Asks& asks,
           Fence& fence);

  void place(TaskId id, const Container& where, uint32_t slot);
  /// The container's agent said hello: what is placed there is prepared.
  void agent_ready(const Container& container, const std::string& address);
  void prepare(TaskId id);
  /// Returns false if it has joined before, or is to stop.
  bool joined(TaskId id, const Address& address);
  /// Returns whether the address is the one under which the task was last started.
  [[nodiscard]] bool keeps_address(TaskId id, const Address& address) const;
  void started(TaskId id, int32_t pid);

  /// Asks the attempts to end; those that never reached an agent end here and now.
  void tell_to_stop(std::span<const Move> moves);
  /// An agent reported how the attempt ended.
  [[nodiscard]] Meaning ended(TaskId id, const Exit& exit);
  /// The attempt is gone without a trace.
  [[nodiscard]] Meaning vanished(TaskId id);
  /// It did not join in time: it ends, and leaves its place. nullopt if it has joined.
  [[nodiscard]] std::optional<Cause> join_passed(TaskId id);
  /// It is running but no longer waited for: its agent ends it at once, and it leaves its place.
  void cut_off(TaskId id);
  /// As StopBatches::passed().
  [[nodiscard]] std::vector<AttemptId> batch_passed(uint32_t batch) {
    return batches_.passed(batch);
  }
  /// Records that a container is lost to us, `gone` if its cluster says so; otherwise it is given
  /// back and may live on unseen until its end is confirmed. Returns the failures that this causes.
  [[nodiscard]] std::vector<Cause> lose(const Container& container, bool gone,
                                        const MakeCause& make);
  /// An attempt that was given up has ended after all: its successor no longer has to wait.
  void ended_unheard(AttemptId id);
  /// The end of a lost container was not confirmed in time.
  void fence_passed(const ContainerId& container);
  /// The task's attempt and place are given up to others, and wanted again.
  void give_back(TaskId id);
  /// The job stops: what never started needs no grace and ends with its container.
  void end_unstarted();
  /// The agent of a live attempt is told to stop it.
  void order_stop(TaskId id, StopReason reason, StopTimes times);
  /// The job stops: the role's attempts are asked to end.
  void stop_for_good(RoleIndex role, StopReason reason, StopTimes times);
  /// All attempts that were asked to end and have not are asked again, in another way.
  void stop_again(StopReason reason, StopTimes times);
  /// They have not ended: they go with their containers.
  void lose_containers_of(RoleIndex role);

  /// The task is not tried again.
  void abandon(TaskId id, TaskState to);
  /// A success that is final: the task's place is free for others.
  void make_final(TaskId id);
  /// A task of the role has finished the work: nothing is left for those that have not started.
  void stop_growing(RoleIndex role);

  void set_new_ports(TaskId id, bool new_ports) { runs_[id].new_ports = new_ports; }
  /// An agent has seen this attempt: its number is not used again.
  void saw(AttemptId id);

  [[nodiscard]] const Run& of(TaskId id) const { return runs_[id]; }
  [[nodiscard]] const StopBatches& batches() const { return batches_; }

 private:
  void end(TaskId id, std::optional<Exit> exit, TaskState to = TaskState::Waiting);
  void ended_as_told(TaskId id);
  void may_start(std::span<const TaskId> tasks);

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  Lives& lives_;
  Roles& roles_;
  Views& views_;
  Gangs& gangs_;
  Places& places_;
  Asks& asks_;
  Fence& fence_;
  PerTask<Run> runs_;
  StopBatches batches_;
};

}  // namespace muster::job
