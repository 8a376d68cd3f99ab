#pragma once

#include "sim/random.h"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace muster::sim {

/// The kinds of trouble that a seed can bring. Each is off for a whole run with a probability of
/// one half, so that combinations come up that no single setting would give.
enum class Fault : uint8_t {
  SlowMessages,       ///< Some messages take seconds.
  DoubledFacts,       ///< Cluster and agents say things twice.
  BrokenConnections,  ///< What is under way is lost; the agent dials again and reports.
  Partitions,         ///< An agent and its master do not hear each other for a while.
  ProgramFails,       ///< The user's program exits with an error.
  ProgramHangs,       ///< It ignores the end of its peers and runs on until it is stopped.
  PrepareFails,       ///< The agent cannot place files.
  AgentDies,
  HostDies,
  HostIsolated,  ///< The host is unreachable, but what runs there lives on unseen.
  Preemption,
  LaunchFails,
  RefusedRequests,
  LateGrants,  ///< Granted after the request was cancelled.
  DoubledGrants,
  NeverGranted,   ///< A request is forgotten until the faults end.
  ScarceCluster,  ///< Fewer slots than the job wants, for a while.
  MasterCrashes,
  MasterStalls,
  LogUnavailable,
  StopAsked,
  OvertakenWords,  ///< Something that the cluster says arrives after what it says later.
  ProgramLies,     ///< A program that fails by itself says that it lost a peer.
  AgentLies,       ///< Reports name others' attempts, hide own ones, or claim untruths.
  SlowReleases,    ///< What is given back lives on for up to half a minute.
  // What only the real shells can meet.
  MasterCrashesAmid,  ///< Between two actions of one batch.
  TornLog,            ///< A crash leaves part of a batch in the log.
  AgentStalls,
  SpawnFails,
  PortsTaken,
  DiskFull,  ///< An agent's files cannot be written.
  SlowDisk,  ///< Work of the pool takes seconds.
  OverMemory,
  ChildrenStay,      ///< Programs leave children behind, which live on.
  TermIgnored,       ///< Programs end only by KILL.
  ClocksDiffer,      ///< Hosts' wall clocks are off, and jump.
  ConnectionsStall,  ///< One direction of one connection stands still, then breaks.
  MasterReplaced,    ///< A master that was taken for dead lives on beside its successor.
  // Drawn after all others, so that a seed without them stays what it was.
  EndsUnconfirmed,  ///< The end of what was given back is reported very late, or never.
  EndsToldEarly,    ///< Unless to be confirmed, the end is reported at once, and it lives on.
  EndsToldFalsely,  ///< The same although confirmation was asked for: a cluster that is mistaken.
  // What only YARN can meet.
  ManagerAway,       ///< The resource manager does not answer for a while.
  ManagerFailsOver,  ///< Another one takes over, and knows only what is running.
  AnswersLost,       ///< What manager or node was asked to do is done, but nobody hears of it.
  NodeAway,          ///< A node manager does not answer; what runs there goes on.
  TokensRoll,
};

/// Those of core_sim come first, then those of the shells; every run also has the ones after them.
inline constexpr size_t kCoreFaultCount = static_cast<size_t>(Fault::SlowReleases) + 1;
inline constexpr size_t kShellFaultCount = static_cast<size_t>(Fault::MasterReplaced) + 1;
inline constexpr size_t kFaultCount = static_cast<size_t>(Fault::TokensRoll) + 1;

[[nodiscard]] std::string_view to_string(Fault fault);

/// Which faults a run has, and how often each strikes (percent of its opportunities).
class Faults {
 public:
  /// Draws the first `kinds`, and those that are drawn after all others. Those named in `without`
  /// stay off (to find the smallest set that still fails).
  Faults(Random random, const std::set<Fault>& without, size_t kinds = kCoreFaultCount);

  [[nodiscard]] bool on(Fault fault) const {
    return percent_[static_cast<size_t>(fault)] > 0 && active_;
  }
  /// Draws whether `fault` strikes now; never after heal().
  [[nodiscard]] bool strikes(Fault fault);
  /// From now on nothing strikes.
  void heal() { active_ = false; }
  /// Returns those that were drawn, for the report of a failure.
  [[nodiscard]] std::string names() const;

 private:
  void draw(Random& random, Fault fault, const std::set<Fault>& without);

  Random random_;
  Random later_;  ///< For the faults that are drawn after all others.
  bool active_ = true;
  std::array<uint32_t, kFaultCount> percent_{};
};

}  // namespace muster::sim
