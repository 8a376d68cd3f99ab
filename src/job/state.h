#pragma once

#include "base/time.h"
#include "job/chronicle.h"
#include "job/fact.h"
#include "job/failure.h"
#include "job/ids.h"
#include "job/outcome.h"
#include "job/view.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the machine knows: the life cycles of job, tasks, attempts and containers. Readers (status,
/// summary, the shell) see it as const; only the machine's own files change it.
namespace muster::job {

/// A request becomes a container with its grant.
///
///     granted ─1─► launching ─3─► ready ─7─► gone
///        └─2─► draining ◄─4─┘ └─5─► gone
///                 ▲ └─8─► gone
///                 └─6─ ready
///
/// 1 its agent is launched · 2 nobody wants it (any more) · 3 its agent said hello
/// 4 launch failed, agent lost, or given back · 6 agent lost, or given back
/// 5, 7, 8 its cluster says that it ended
enum class ContainerState : uint8_t { Granted, Launching, Ready, Draining, Gone };

/// Placed with its container's grant, or at once in a container that is ready.
///
///     placed ─1─► joined ─4─► running ─8─► ended
///       ├─2─► stopping ◄─5─┘     │
///       │      │   ▲─────7───────┘
///       │      └─9─► ended
///       └─3─► ended ◄─6─ joined
///
/// 1 addresses reserved · 4 its process runs · 2, 5, 7 told to stop · 9 ended after that
/// 8 ended by itself, or its container went away · 3, 6 the same, before it ran
enum class AttemptState : uint8_t { Placed, Joined, Running, Stopping, Ended };

/// Active exactly while an attempt has not ended. Only the job's end absorbs.
///
///     waiting ◄─1,2─► active ─3─► succeeded
///      │ │ ▲ ▲           └─4─► stopped
///      │ │ │ └─7─ succeeded
///      │ │ └─8─ failed
///      │ └─6─► stopped
///      └─5─► failed
///
/// 1 placed · 2 its attempt ended; blame or another attempt comes · 3 ended well
/// 4, 6 the job ends, or an elastic role shrinks · 5 no restarts left
/// 7 its static gang needs it again · 8 the whole job starts over
enum class TaskState : uint8_t { Waiting, Active, Succeeded, Failed, Stopped };

///     gathering ◄─1,2─► running
///         └──3─► stopping ◄─4─┘
///                   └─5─► ended
///
/// 1 a barrier opened · 2 a gang or the job restarts · 3, 4 the outcome is decided
/// 5 everything is released
enum class JobPhase : uint8_t { Gathering, Running, Stopping, Ended };

/// A request that the cluster has not answered yet.
struct Request {
  RequestId id;
  RoleIndex role;
  std::vector<TaskId> tasks;  ///< The tasks its container is for.
  Time asked{};
  bool cancelled = false;
};

struct Container {
  ContainerId id;
  RoleIndex role;
  HostName host;
  ContainerState state = ContainerState::Granted;
  std::vector<TaskId> tasks;  ///< By slot.
  std::string agent_address;
  bool suspected = false;
  uint32_t occupants = 0;  ///< Tasks whose place this is.
  uint32_t live = 0;       ///< Attempts here that have not ended.
  Time granted{};
  Time ready{};
};

/// An attempt hangs, according to the verdict on it.
struct StallNote {
  Time at{};          ///< When that was found.
  Duration silent{};  ///< For how long it had been silent then.
  Sureness sure = Sureness::Sign;
  std::string place;
  std::string evidence;
};

struct Attempt {
  uint32_t number = 0;
  ContainerId container;
  HostName host;
  uint32_t slot = 0;
  AttemptState state = AttemptState::Placed;
  Generation generation;  ///< The one it was started in; 0 before.
  Address address;
  int32_t pid = 0;
  Time placed{}, joined{}, started{}, ended{};
  std::optional<Exit> exit;
  std::optional<Part> part;        ///< Once blame has settled.
  std::optional<StallNote> stall;  ///< While it hangs, and after it ended so.
};

struct Task {
  TaskId id;
  TaskState state = TaskState::Waiting;
  /// All attempts, oldest first; the last is the active one if `state` is Active.
  std::vector<Attempt> attempts;
  uint32_t restarts = 0;  ///< MUSTER_RESTARTS of the next attempt.
};

struct Endpoint {
  AttemptId attempt;
  std::string name;
  std::string url;
};

/// What the machine knows about the job, for those that read it. Each part of the machine writes
/// its own section, as named here; what a part keeps only for itself is not in it.
struct State {
  // Lives.
  JobPhase phase = JobPhase::Gathering;
  std::vector<std::vector<Task>> tasks;  ///< By role, by index.
  std::map<ContainerId, Container> containers;
  std::vector<Endpoint> endpoints;
  // Asks.
  std::map<RequestId, Request> requests;
  // Views.
  View view;  ///< Of the newest generation that was formed; empty, and 0, before the first.
  // Ending.
  std::optional<Outcome> outcome;  ///< Decided; the job may still be Stopping.
  Time ended{};
  // The machine itself, as facts say.
  Epoch epoch{1};
  Time started{};
  std::optional<HeadroomReported> headroom;  ///< The latest report of it.
  std::optional<CheckpointCommitted> last_commit;
  std::string stop_asked_by;  ///< By whom first; "" if by nobody.
  // Many parts.
  Chronicle chronicle;

  [[nodiscard]] const Task& task(TaskId id) const { return tasks[id.role.value][id.index]; }
  [[nodiscard]] const Attempt* find_attempt(AttemptId id) const;
};

[[nodiscard]] std::string_view to_string(ContainerState state);
[[nodiscard]] std::string_view to_string(AttemptState state);
[[nodiscard]] std::string_view to_string(TaskState state);
[[nodiscard]] std::string_view to_string(JobPhase phase);

}  // namespace muster::job
