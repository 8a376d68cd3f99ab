#pragma once

#include "base/result.h"
#include "job/plan.h"
#include "job/view.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::framework {

/// What only the task's agent knows.
struct TaskContext {
  job::TaskId task;
  std::string checkpoint_dir;  ///< Absolute; MUSTER_CHECKPOINT_DIR.
  std::string view_file;       ///< Absolute; MUSTER_VIEW_FILE.
  std::string application_id;  ///< The cluster's name for the job; empty: the job's own id.
  std::string program;         ///< Muster's own binary.
  std::string interface;       ///< The network interface of its address; empty: unknown.
  uint32_t cores = 1;          ///< Of its machine, as far as this job may use them.
  std::vector<uint32_t> gpus;  ///< Devices given to this task.
  std::vector<uint32_t> container_gpus;  ///< Devices of its whole container; empty: as `gpus`.
};

/// One task's place among the others, worked out once for all its variables. Refers to what it was
/// made from, which must outlive it.
struct Seat {
  const job::Plan& plan;
  const job::View& view;
  const TaskContext& context;
  const job::RolePlan& role;
  const job::Member& self;
  /// The members of ranked roles in RANK order: the chief, then roles in the order of the spec.
  std::vector<const job::Member*> ranks;
  /// Every task that the barrier waits for is in the view, so no address list lacks a task.
  bool complete = false;

  [[nodiscard]] bool is_chief() const { return plan.chief == self.task; }
  /// Returns RANK, if this task has one.
  [[nodiscard]] std::optional<size_t> rank() const;
};

/// Returns the seat of `context.task`. An error (a bug) if the view does not list it.
[[nodiscard]] Result<Seat> find_seat(const job::Plan& plan, const job::View& view,
                                     const TaskContext& context);

/// Returns the group within which LOCAL_RANK counts: the ranks of one container or, with an empty
/// id, all on a machine whose GPUs they share.
[[nodiscard]] job::ContainerId rank_group_of(const Seat& seat, const job::Member& member);

/// Returns the ranks of `member`'s group, in the order of their slots: positions are LOCAL_RANK.
[[nodiscard]] std::vector<const job::Member*> local_ranks(const Seat& seat,
                                                          const job::Member& member);

/// Returns the groups in order of their lowest rank: positions are GROUP_RANK.
[[nodiscard]] std::vector<job::ContainerId> rank_groups(const Seat& seat);

/// The position of a rank among those with the same LOCAL_RANK, one in each group.
struct Cross {
  size_t rank = 0;
  size_t size = 0;
};

/// Returns that of the task itself, if it has a rank.
[[nodiscard]] std::optional<Cross> cross_of(const Seat& seat);

/// "host:port", or "[host]:port" for an IPv6 literal.
[[nodiscard]] std::string endpoint(const job::Address& address);

}  // namespace muster::framework
