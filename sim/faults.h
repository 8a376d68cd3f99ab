#pragma once

#include "sim/random.h"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace muster::sim {

/// The kinds of trouble a seed can bring. Each is off with probability one half for a whole run, so
/// that combinations are met that no single setting would give.
enum class Fault : uint8_t {
  SlowMessages,       ///< Some messages take seconds.
  DoubledFacts,       ///< Cluster and agents say things twice.
  BrokenConnections,  ///< What is under way is lost; the agent dials again and reports.
  Partitions,         ///< An agent and its master do not hear each other for a while.
  ProgramFails,       ///< The user's program exits with an error.
  ProgramHangs,       ///< It ignores its peers' end and runs on until it is stopped.
  PrepareFails,       ///< The agent cannot place files.
  AgentDies,
  HostDies,
  HostIsolated,  ///< The host is unreachable, but what runs there lives on unseen.
  Preemption,
  LaunchFails,
  RefusedRequests,
  LateGrants,  ///< Granted after a cancel.
  DoubledGrants,
  NeverGranted,   ///< An ask is forgotten until the faults end.
  ScarceCluster,  ///< Fewer slots than the job wants, for a while.
  MasterCrashes,
  MasterStalls,
  LogUnavailable,
  StopAsked,
  OvertakenWords,  ///< What the cluster says comes after what it says later.
  ProgramLies,     ///< One that fails by itself says that it lost a peer.
  AgentLies,       ///< Reports name attempts of others, hide own ones, or claim what is not.
  SlowReleases,    ///< What is given back lives on for up to half a minute.
  // What only the real shells can meet.
  MasterCrashesAmid,  ///< Between two things that one batch of actions does.
  TornLog,            ///< A crash leaves part of a batch in the log.
  AgentStalls,
  SpawnFails,
  PortsTaken,
  DiskFull,  ///< An agent's files cannot be written.
  SlowDisk,  ///< Work of the pool takes seconds.
  OverMemory,
  ChildrenStay,      ///< Programs leave children behind that live on.
  TermIgnored,       ///< Programs end by KILL only.
  ClocksDiffer,      ///< Hosts' wall clocks are off, and jump.
  ConnectionsStall,  ///< One direction of one connection stands still, then breaks.
  MasterReplaced,    ///< A master that was taken for dead lives on beside its successor.
  // Drawn after all others, so that a seed without them stays what it was.
  EndsUnconfirmed,  ///< The end of what was given back is told very late, or never.
  EndsToldEarly,    ///< Unless it is to be confirmed, it is told at once, and lives on.
  EndsToldFalsely,  ///< The same though it is to be confirmed: a cluster that is mistaken.
  // What only YARN can meet.
  ManagerAway,       ///< The resource manager does not answer for a while.
  ManagerFailsOver,  ///< Another one takes over, which knows only what runs.
  AnswersLost,       ///< What was asked of manager or node is done, and nobody hears of it.
  NodeAway,          ///< A node manager does not answer; what runs there goes on.
  TokensRoll,
};

/// Those of core_sim come first, then those of the shells; every run has the ones after them.
inline constexpr size_t kCoreFaultCount = static_cast<size_t>(Fault::SlowReleases) + 1;
inline constexpr size_t kShellFaultCount = static_cast<size_t>(Fault::MasterReplaced) + 1;
inline constexpr size_t kFaultCount = static_cast<size_t>(Fault::TokensRoll) + 1;

[[nodiscard]] std::string_view to_string(Fault fault);

/// Which faults a run has, and how often each strikes (percent of its opportunities).
class Faults {
 public:
  /// Draws the first `kinds`, and those that are drawn after all others; those named in `without`
  /// stay off (to find the smallest set that still fails).
  Faults(Random random, const std::set<Fault>& without, size_t kinds = kCoreFaultCount);

  [[nodiscard]] bool on(Fault fault) const {
    return percent_[static_cast<size_t>(fault)] > 0 && active_;
  }
  /// Draws whether `fault` strikes now; never after heal().
  [[nodiscard]] bool strikes(Fault fault);
  /// From now on nothing strikes any more.
  void heal() { active_ = false; }
  /// Those that were drawn, for the report of a failure.
  [[nodiscard]] std::string names() const;

 private:
  void draw(Random& random, Fault fault, const std::set<Fault>& without);

  Random random_;
  Random later_;  ///< Of the faults that are drawn after all others.
  bool active_ = true;
  std::array<uint32_t, kFaultCount> percent_{};
};

}  // namespace muster::sim
