#pragma once

#include "job/action.h"
#include "job/budget.h"
#include "job/cause.h"
#include "job/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the machine intends, beside what it shows in State: for its own files only.
namespace muster::job {

/// Where a task's next attempt goes.
enum class Placement : uint8_t { SameSlot, NewContainer };

/// What is to happen to a task next, and what it used up: beside its public record in State.
struct Intent {
  Placement placement = Placement::NewContainer;
  bool wanted = false;        ///< An attempt is to be placed as soon as nothing stands in the way.
  bool given_up = false;      ///< Its elastic role goes on without it.
  bool at_home = false;       ///< Its last attempt's container is still its place.
  bool granted = false;       ///< As counted by its cohort: it has a container.
  bool joined = false;        ///< As counted by its cohort: its attempt has joined.
  bool latched = false;       ///< Its success is final.
  bool ever_started = false;  ///< Or ended without; since the job began or started over.
  bool new_ports = false;     ///< The next attempt must not keep its port.
  bool leaves = false;        ///< Its place is given up when its attempt ends.
  uint32_t cohort = 0;        ///< The unopened cohort it belongs to; 0: none.
  uint32_t victim_of = 0;     ///< The wave that last restarted it without a charge.
  uint32_t stop_batch = 0;    ///< The batch its attempt was told to stop in; 0: none.
  uint32_t number_floor = 0;  ///< No attempt number up to this is used again.
  DeadlineId backoff;         ///< It waits until this has passed; 0: for nothing.
  DeadlineId join;
  RequestId request;  ///< The ask it is part of; 0: none.
  Ledger ledger;
};

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
  std::vector<TaskId> tasks;  ///< Some may have left since: Intent::cohort tells.
  std::vector<Share> shares;
  DeadlineId gather, hold, regather;
  uint32_t given_back = 0;  ///< How often it gave everything back.
  uint32_t postponed = 0;   ///< How often in a row the headroom was too small to ask again.
};

/// Attempts that were told to stop together.
struct StopBatch {
  DeadlineId deadline;
  uint32_t remaining = 0;
  std::vector<AttemptId> attempts;
};

/// How a role stands: its policies now, and counts of its tasks.
struct Standing {
  spec::Success success = spec::Success::Required;
  spec::Failure failure = spec::Failure::FailsJob;
  bool asked = false;    ///< What it waits `after` has come.
  bool latched = false;  ///< Somebody relied on its end.
  uint32_t started = 0;  ///< Tasks that ever started, or ended without.
  uint32_t succeeded = 0;
  uint32_t failed = 0;
  uint32_t stopped = 0;
  uint32_t live = 0;          ///< Attempts that have not ended.
  uint32_t live_started = 0;  ///< Those among them that were told to start.
  uint32_t refusals = 0;      ///< In a row.
  bool group_passed = false;  ///< Its group deadline has passed.
  DeadlineId group;
  std::optional<Cause> failed_by;  ///< Of its first task that failed for good.

  [[nodiscard]] uint32_t ended() const { return succeeded + failed + stopped; }
};

/// A deadline that is set, and whom it is for.
struct Pending {
  DeadlineKind kind = DeadlineKind::Queue;
  Time at{};
  std::string waits_for;
  TaskId task;                ///< Join.
  uint32_t number = 0;        ///< Cohort, batch or role, by kind.
  std::vector<TaskId> tasks;  ///< Backoff, Ask.
};

/// One task's part in a restart.
struct Move {
  TaskId task;
  Placement placement = Placement::SameSlot;
  StopReason reason = StopReason::Restart;
  Duration grace{};
};

}  // namespace muster::job
