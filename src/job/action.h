#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "job/outcome.h"
#include "job/plan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Actions: something to do, in the imperative. Each is idempotent by its ids: doing one twice, or
/// losing one and getting it again after MasterRecovered, must be harmless. They are released only
/// when the fact that caused them is in the log.
namespace muster::job {

/// Ask the cluster for one container of `role`.
struct RequestContainer {
  RequestId request;
  RoleIndex role;
  Resources resources;  ///< Of the whole container, the agent's share included.
  std::string node_label;
  std::vector<HostName> avoid;   ///< Hosts not wanted, worst first.
  std::vector<HostName> prefer;  ///< Hosts preferred; never binding.
  bool operator==(const RequestContainer&) const = default;
};

/// No longer wanted. If a grant arrives all the same, the machine releases it.
struct CancelRequest {
  RequestId request;
  bool operator==(const CancelRequest&) const = default;
};

/// Start our agent in a granted container.
struct LaunchAgent {
  ContainerId container;
  bool operator==(const LaunchAgent&) const = default;
};

/// Give the container back; whatever runs there ends.
struct ReleaseContainer {
  ContainerId container;
  bool operator==(const ReleaseContainer&) const = default;
};

/// Tell the agent to place files, restore the checkpoint and reserve ports; answered by
/// AttemptJoined.
struct PrepareAttempt {
  AttemptId attempt;
  ContainerId container;
  uint32_t slot = 0;
  bool restore = false;    ///< Bring the newest committed checkpoint first.
  uint16_t keep_port = 0;  ///< Reserve this very port (rejoin under the same address); 0: any.
  uint32_t restarts = 0;   ///< MUSTER_RESTARTS.
  bool operator==(const PrepareAttempt&) const = default;
};

/// Start the process in `generation`. The shell has pushed that generation's view to the agent
/// before.
struct StartAttempt {
  AttemptId attempt;
  ContainerId container;
  Generation generation;
  bool operator==(const StartAttempt&) const = default;
};

enum class StopReason : uint8_t {
  JobEnds,     ///< The job is over.
  Restart,     ///< Its scope restarts in the next generation.
  Preemption,  ///< Its container will be taken; `grace` is the time to save.
  UserStop,    ///< Somebody asked.
  Shrink,      ///< An elastic role gives it up.
};

/// How long a program has to end.
struct StopTimes {
  Duration interrupt{};  ///< Between INT and TERM; zero: TERM comes at once, without INT.
  Duration grace{};      ///< From the beginning until KILL.
};

/// TERM to the attempt's process group, KILL after `grace`; answered by AttemptEnded. For an
/// attempt that was only prepared, the reservation is dropped, and AttemptEnded follows at once.
struct StopAttempt {
  AttemptId attempt;
  ContainerId container;
  Duration grace{};
  StopReason reason = StopReason::JobEnds;
  Duration interrupt{};  ///< As in StopTimes.
  bool operator==(const StopAttempt&) const = default;
};

/// What a deadline is for.
enum class DeadlineKind : uint8_t {
  Queue,     ///< The first container must be granted.
  Gather,    ///< All containers of a cohort must be granted.
  Join,      ///< A placed attempt must join.
  Run,       ///< The job must end.
  Stop,      ///< Stopped attempts must end, released containers be gone.
  Backoff,   ///< A restart waits.
  Ask,       ///< A refused ask waits to be made again.
  Hold,      ///< A gang keeps what it holds until another grant comes.
  Regather,  ///< A gang that gave everything back waits to ask again.
  Blame,     ///< Peer losses wait for an origin.
  Fence,     ///< A lost container must be gone before what ran there restarts.
  Group,     ///< A role must end after others have (`deadline_after`).
};

/// Enter DeadlinePassed when job time reaches `at`. Setting an id again moves it.
struct SetDeadline {
  DeadlineId deadline;
  DeadlineKind kind = DeadlineKind::Queue;
  Time at{};
  std::string waits_for;  ///< For people: "2 of 4 workers to join".
  bool operator==(const SetDeadline&) const = default;
};

struct ClearDeadline {
  DeadlineId deadline;
  bool operator==(const ClearDeadline&) const = default;
};

/// Compare with the world: dial every agent that the state lists, and ask the cluster for its
/// containers; the answers arrive as AgentReported, AgentLost and ContainerEnded.
struct Reconcile {
  bool operator==(const Reconcile&) const = default;
};

/// The job is over and everything is released. The last action of every job; may be repeated after
/// a recovery. The shell closes its link to the cluster, which gives back what was granted
/// meanwhile and never reported.
struct Finish {
  Outcome outcome;
  bool operator==(const Finish&) const = default;
};

using Action =
    std::variant<RequestContainer, CancelRequest, LaunchAgent, ReleaseContainer, PrepareAttempt,
                 StartAttempt, StopAttempt, SetDeadline, ClearDeadline, Reconcile, Finish>;

/// "request-container": the stable name of an action's type, for scenarios and logs.
[[nodiscard]] std::string_view name_of(const Action& action);
[[nodiscard]] std::string_view to_string(StopReason reason);
/// Returns the class of an attempt that its agent ended because it was told to:
/// "stopped.user_stop".
[[nodiscard]] std::string stopped_class(StopReason reason);
[[nodiscard]] std::string_view to_string(DeadlineKind kind);

}  // namespace muster::job
