#pragma once

#include "base/time.h"
#include "job/failure.h"
#include "job/ids.h"
#include "job/view.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Facts: what happened, in the past tense. Everything that enters Machine::apply is one of these
/// and is logged with its time. They are small, self-contained and append-only as protobuf (module
/// wire). Any fact may arrive late, twice, or for something the machine has forgotten; it must then
/// be harmless.
namespace muster::job {

/// First fact of every log. The Plan itself stands in the log's header.
struct JobStarted {
  bool operator==(const JobStarted&) const = default;
};

/// The cluster granted a container for `request`. May come after a cancel or twice: the machine
/// releases what it does not want.
struct ContainerGranted {
  RequestId request;
  ContainerId container;
  HostName host;
  bool operator==(const ContainerGranted&) const = default;
};

/// Why the cluster said no.
enum class RefusalKind : uint8_t {
  NeverFits,  ///< No host can ever hold it: the job ends, with the numbers in `reason`.
  Forbidden,  ///< Queue, label or rights: the job ends.
  Transient,  ///< May be requested again later, with back-off.
};

struct RequestRefused {
  RequestId request;
  RefusalKind kind = RefusalKind::Transient;
  std::string reason;
  bool operator==(const RequestRefused&) const = default;
};

/// The agent could not be started in a granted container. Ending the container is up to the
/// cluster: a ContainerEnded may or may not follow.
struct LaunchFailed {
  ContainerId container;
  std::string reason;
  bool operator==(const LaunchFailed&) const = default;
};

/// An agent said hello for the first time. `address` is where it listens for a later master.
struct AgentJoined {
  ContainerId container;
  std::string address;  ///< "host:port"
  bool operator==(const AgentJoined&) const = default;
};

/// Where one attempt stands, in an agent's report.
struct AttemptReport {
  enum class Phase : uint8_t { Preparing, Joined, Running, Ended };
  AttemptId attempt;
  Phase phase = Phase::Preparing;
  Address address;           ///< From Joined on.
  Generation generation;     ///< From Running on: the generation it was started in.
  std::optional<Exit> exit;  ///< Set if and only if Ended.
  bool operator==(const AttemptReport&) const = default;
};

/// An agent's full report: after a reconnect, a takeover, or a suspicion that passed. It overrides
/// the end of the log: attempts that are not listed do not exist there.
struct AgentReported {
  ContainerId container;
  std::string address;
  Epoch epoch;            ///< The highest it has seen, including that of its answer.
  Generation generation;  ///< The highest it has seen.
  std::vector<AttemptReport> attempts;
  bool operator==(const AgentReported&) const = default;
};

/// Silent for Plan::liveness.suspect. Cleared by AgentReported.
struct AgentSuspected {
  ContainerId container;
  bool operator==(const AgentSuspected&) const = default;
};

/// How an agent's loss became known.
enum class LossReason : uint8_t {
  Silent,       ///< TCP and heartbeats both missing for liveness.lost. It may live on unseen.
  Closed,       ///< The connection closed and its process is known dead.
  Unreachable,  ///< A new master dialled it in vain.
};

struct AgentLost {
  ContainerId container;
  LossReason reason = LossReason::Silent;
  bool operator==(const AgentLost&) const = default;
};

/// The agent reserved the attempt's addresses; checkpoint and files are in place.
struct AttemptJoined {
  AttemptId attempt;
  Address address;
  bool operator==(const AttemptJoined&) const = default;
};

/// The attempt's process runs.
struct AttemptStarted {
  AttemptId attempt;
  int32_t pid = 0;
  bool operator==(const AttemptStarted&) const = default;
};

struct AttemptEnded {
  AttemptId attempt;
  Exit exit;
  bool operator==(const AttemptEnded&) const = default;
};

/// How certain it is that an attempt is the reason why its job is stuck.
enum class Sureness : uint8_t {
  Sign,     ///< It does nothing, perhaps for good reason: it need not hang.
  Unsure,   ///< It hangs, but so do its peers, and nothing sets it apart.
  Likely,   ///< It differs from its peers, or has no peers.
  Certain,  ///< All its peers wait at one place for others, and it is elsewhere.
};

/// The attempt, and everything it works with, does nothing: for `silent` there was no output, no
/// progress and no file traffic. With silent 0 that is over. Otherwise StallPlan::then says what
/// follows, unless it is only a Sign.
struct AttemptStalled {
  AttemptId attempt;
  Duration silent{};
  Sureness sure = Sureness::Sign;
  std::string place = {};     ///< Where in its code: "time.sleep (train.py:31)"; "" if unknown.
  std::string evidence = {};  ///< What was seen, for people, in lines; at most 4 KiB.
  bool operator==(const AttemptStalled&) const = default;
};

/// Why a container ended, according to its cluster.
enum class ContainerEndKind : uint8_t {
  Completed,     ///< Its agent ended on its own (after our release, or by a crash).
  Released,      ///< We gave it back.
  HostLost,      ///< The host went away, or became unhealthy and the cluster took the container.
  Preempted,     ///< The cluster took it for somebody else.
  OverMemory,    ///< The cluster killed it over its memory limit.
  LaunchFailed,  ///< It never ran.
  Killed,        ///< Killed from outside for another reason.
};

struct ContainerEnded {
  ContainerId container;
  ContainerEndKind kind = ContainerEndKind::Completed;
  std::optional<int32_t> exit_code;  ///< Of the container's first process, as the cluster tells it.
  std::string diagnostics;           ///< The cluster's own words, at most 4 KiB.
  std::string cluster_code = {};     ///< Its own exit status of the container ("-104"); "" if none.
  /// Set if a rule classifies the end by the cluster's code or message; otherwise `kind` decides.
  std::optional<Failure> failure = std::nullopt;
  bool operator==(const ContainerEnded&) const = default;
};

/// A current attempt asked for a commit, which is hereby granted. The shell admits only what
/// Machine::may_commit allows; the machine ignores anything older than its generation.
struct CheckpointCommitted {
  AttemptId attempt;
  Generation generation;
  std::string name;  ///< What was committed, relative to the checkpoint's target.
  bool operator==(const CheckpointCommitted&) const = default;
};

/// A task serves something people can open.
struct EndpointPublished {
  AttemptId attempt;
  std::string name;  ///< "tensorboard", "notebook"
  std::string url;
  bool operator==(const EndpointPublished&) const = default;
};

enum class HostHealth : uint8_t { Healthy, Unhealthy, Decommissioning, Lost };

/// The cluster's report on a host. Lost ends every container there; Decommissioning and Unhealthy
/// only steer new requests away.
struct HostReported {
  HostName host;
  HostHealth health = HostHealth::Healthy;
  bool operator==(const HostReported&) const = default;
};

/// What the cluster could grant now to this job's queue, and how many hosts it knows.
struct HeadroomReported {
  uint64_t memory_bytes = 0;
  uint32_t vcores = 0;
  uint32_t gpus = 0;
  uint32_t hosts = 0;
  bool operator==(const HeadroomReported&) const = default;
};

/// The cluster will take the container `in` this long; its tasks are told and given that time to
/// save.
struct PreemptionNoticed {
  ContainerId container;
  Duration in{};
  bool operator==(const PreemptionNoticed&) const = default;
};

struct DeadlinePassed {
  DeadlineId deadline;
  bool operator==(const DeadlinePassed&) const = default;
};

/// How a job is to be stopped.
enum class StopHow : uint8_t {
  Terminate,  ///< TERM, then KILL.
  Interrupt,  ///< INT first, like a Ctrl-C by hand; if ignored TERM, then KILL.
};

/// Somebody asked the job to stop. If a job that is being interrupted is asked to terminate, it no
/// longer waits for its programs to heed INT.
struct StopAsked {
  std::string by;  ///< "alice from terminal", "SIGTERM", "resource manager": shown to people.
  StopHow how = StopHow::Terminate;
  bool operator==(const StopAsked&) const = default;
};

/// A new master has read the log. Every intent is derived anew, and Reconcile is requested.
struct MasterRecovered {
  Epoch epoch;
  bool operator==(const MasterRecovered&) const = default;
};

/// The verb of a session that rejoins a shell.
inline constexpr std::string_view kJoinVerb = "join";

/// An owner's client reached into a running attempt: who, from where, and what for; never its
/// bytes. Shown only; has no effect on policy.
struct SessionOpened {
  AttemptId attempt;
  std::string who;   ///< As stated by the client: "alice on pts/3".
  std::string from;  ///< The client's address, as the master saw it; "" if it could not.
  std::string verb;  ///< "exec", "shell", "join" or "forward".
  std::string what;  ///< The command, quoted for a shell; what was joined; the port.
  bool operator==(const SessionOpened&) const = default;
};

/// An owner's client has left a shell that keeps running, or was cut off from it. Shown only; has
/// no effect on policy.
struct SessionDetached {
  AttemptId attempt;
  std::string who;   ///< As SessionOpened.
  std::string from;  ///< As SessionOpened.
  std::string what;  ///< "shell 1"
  bool operator==(const SessionDetached&) const = default;
};

/// How a notice leaves the job.
enum class NoticeWay : uint8_t { Command, Hook, Mail };

/// What has become of a notice so far.
enum class NoticeFate : uint8_t {
  Delivered,
  Failing,  ///< The first try failed; there will be more.
  GivenUp,
};

/// A notice was delivered, or could not be. Entered after the attempt, so that no later master
/// repeats what was delivered. Shown only; decides nothing.
struct NoticeTold {
  std::string notice;  ///< "end", "stall:worker:1#2": unique within the job.
  NoticeWay way = NoticeWay::Command;
  NoticeFate fate = NoticeFate::Delivered;
  uint32_t tries = 1;
  std::string trouble;  ///< Why the last try failed; "" when delivered.
  bool operator==(const NoticeTold&) const = default;
};

using Fact = std::variant<JobStarted, ContainerGranted, RequestRefused, LaunchFailed, AgentJoined,
                          AgentReported, AgentSuspected, AgentLost, AttemptJoined, AttemptStarted,
                          AttemptEnded, AttemptStalled, ContainerEnded, CheckpointCommitted,
                          EndpointPublished, HostReported, HeadroomReported, PreemptionNoticed,
                          DeadlinePassed, StopAsked, MasterRecovered, SessionOpened, NoticeTold,
                          SessionDetached>;

/// "attempt-ended": the stable name of a fact's type, for scenarios, logs and JSON.
[[nodiscard]] std::string_view name_of(const Fact& fact);

[[nodiscard]] std::string_view to_string(ContainerEndKind kind);
[[nodiscard]] std::string_view to_string(LossReason reason);
[[nodiscard]] std::string_view to_string(RefusalKind kind);
[[nodiscard]] std::string_view to_string(HostHealth health);
[[nodiscard]] std::string_view to_string(Sureness sure);
[[nodiscard]] std::string_view to_string(NoticeWay way);
[[nodiscard]] std::string_view to_string(NoticeFate fate);

}  // namespace muster::job
