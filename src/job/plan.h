#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "spec/spec.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::job {

/// What one task may use. The container requests the sum over its tasks plus the agent's own share.
struct Resources {
  uint64_t memory_bytes = 0;
  uint32_t vcores = 0;
  uint32_t gpus = 0;
  std::map<std::string, uint64_t> other;  ///< Further resource types by the cluster's names.
  bool operator==(const Resources&) const = default;
};

/// The agent's own memory, added to every container's request.
inline constexpr uint64_t kAgentMemoryBytes = 32ULL << 20;

/// The rungs of the restart ladder.
enum class Rung : uint8_t { Process, Container, Host, Infrastructure, Job, None };

/// The ladder of one role: how often each rung is tried within `window` (nullopt: the job's whole
/// life). A task has its own count of every rung but `job`, which the whole job shares.
struct RestartBudget {
  uint32_t process = 3;
  uint32_t container = 3;
  uint32_t host = 3;
  uint32_t job = 0;
  uint32_t infrastructure = 20;
  std::optional<Duration> window = std::chrono::hours(1);
  Duration backoff_low = std::chrono::seconds(1);
  Duration backoff_high = std::chrono::minutes(1);
  /// A program that ended on its own is tried in a new container, or on another host, only if that
  /// count was set explicitly, since the place is hardly the cause. Failures of the place always
  /// are.
  bool container_for_program = true;
  bool host_for_program = true;
  bool operator==(const RestartBudget&) const = default;
};

/// When the tasks of one role are considered to hang, and what follows.
struct StallPlan {
  std::optional<Duration> after = std::chrono::minutes(10);  ///< nullopt: never.
  spec::StallAction then = spec::StallAction::Report;
  bool operator==(const StallPlan&) const = default;
};

/// What a role waits for in another before its containers are requested.
struct After {
  RoleIndex role;
  spec::Condition condition = spec::Condition::Ended;
  bool operator==(const After&) const = default;
};

/// The role must have ended `in` after every task of `roles` has ended. Otherwise the job fails, or
/// no longer waits for this role; a failure of a role that is no longer waited for fails the job
/// even if it was tolerated before.
struct GroupDeadline {
  std::vector<RoleIndex> roles;
  Duration in{};
  spec::DeadlineAction then = spec::DeadlineAction::Fail;
  bool operator==(const GroupDeadline&) const = default;
};

/// One role with every default filled in.
struct RolePlan {
  std::string name;
  uint32_t tasks = 1;  ///< Tasks wanted now; for elastic roles the maximum (`max`).
  /// Tasks needed before the barrier opens; equals `tasks` unless elastic.
  uint32_t tasks_min = 1;
  uint32_t tasks_per_container = 1;
  Resources resources;  ///< Per task. No memory: no limit. No vcores: a share of the machine.
  /// Its tasks see all GPUs of their machine, and have none to themselves.
  bool shares_gpus = false;
  std::string node_label;
  spec::Membership membership = spec::Membership::Independent;
  spec::Success success = spec::Success::Required;
  spec::Failure failure = spec::Failure::FailsJob;
  RestartBudget restart;
  StallPlan stall;
  std::vector<After> after;
  std::optional<GroupDeadline> deadline_after;
  std::vector<std::string> ports;
  bool ranked = true;  ///< Counts in RANK and WORLD_SIZE.
  bool operator==(const RolePlan&) const = default;
};

struct Deadlines {
  std::optional<Duration> queue;   ///< From the first ask to the first container.
  std::optional<Duration> gather;  ///< From the first ask of a generation to all containers.
  std::optional<Duration> join = std::chrono::minutes(5);  ///< From a grant to the attempt's join.
  std::optional<Duration> run;               ///< From the first start to the job's end.
  Duration stop = std::chrono::seconds(30);  ///< From TERM to KILL.
  bool operator==(const Deadlines&) const = default;
};

struct LivenessPlan {
  Duration beat = std::chrono::seconds(1);
  Duration suspect = std::chrono::seconds(3);
  Duration lost = std::chrono::seconds(10);
  Duration orphan = std::chrono::minutes(15);
  bool operator==(const LivenessPlan&) const = default;
};

/// How long an incomplete gang keeps what it holds while others may need it. After `hold` without a
/// new grant everything granted is given back, and requested again after a back-off of
/// `back_off_low..high` that doubles each time, with jitter. nullopt: hold for ever.
struct GangHold {
  std::optional<Duration> hold;
  Duration back_off_low = std::chrono::seconds(10);
  Duration back_off_high = std::chrono::minutes(5);
  bool operator==(const GangHold&) const = default;
};

/// A Spec with every default and every proposal of its framework filled in: all that the machine
/// knows about a job. Pure data, derived from the resolved Spec by framework::plan; the same Spec
/// gives the same Plan.
struct Plan {
  JobId job;
  uint64_t seed = 0;  ///< For jitter: hash(seed, id).
  std::string name;
  std::string framework;
  spec::Barrier barrier = spec::Barrier::Gang;
  std::vector<RolePlan> roles;  ///< In the order of the spec.
  std::optional<TaskId> chief;  ///< IS_CHIEF; first in RANK order.
  Deadlines deadlines;
  LivenessPlan liveness;
  GangHold gang;
  /// False if a framework needs the same address (rejoin).
  bool gives_new_ports_on_restart = true;
  std::vector<HostName> hosts_to_avoid;  ///< As found by past jobs, or set by the user.
  /// At most this share of the known hosts is ever avoided.
  uint32_t avoid_share_max_percent = 33;
  /// Any failed task fails the job at once, even in ignored roles.
  bool stop_on_first_failure = false;
  /// A failed chief fails the job, whatever its role's policy.
  bool chief_failure_fails_job = false;
  /// The resolved Spec: commands, files, environment and everything else that only agents and
  /// shells read.
  spec::Spec spec;

  [[nodiscard]] const RolePlan& role(RoleIndex index) const { return roles[index.value]; }
  [[nodiscard]] std::optional<RoleIndex> find_role(std::string_view role_name) const;
  [[nodiscard]] uint32_t task_count() const;
};

/// Returns how many of its machine's `cores` a task of `role` uses if nothing was specified: its
/// share among the tasks that run beside it, all on this machine. At least 1.
[[nodiscard]] uint32_t cores_per_task(const Plan& plan, const RolePlan& role, uint32_t cores);

/// "worker:3" and "worker:3#2".
[[nodiscard]] std::string to_string(const Plan& plan, TaskId task);
[[nodiscard]] std::string to_string(const Plan& plan, AttemptId attempt);

/// Parses "worker:3"; nullopt if the role is unknown or the index out of range.
[[nodiscard]] std::optional<TaskId> parse_task(const Plan& plan, std::string_view text);

}  // namespace muster::job
