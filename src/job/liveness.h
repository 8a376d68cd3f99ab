#pragma once

#include "base/time.h"
#include "job/fact.h"
#include "job/ids.h"
#include "job/plan.h"

#include <map>
#include <vector>

namespace muster::job {

/// Judges from beats whether agents live: volatile, not logged; only its verdicts enter the
/// machine, as facts.
///
/// The master's shell tells it of every sign of life and calls judge() at the time due() names. It
/// counts the shell's own stalls out: when judge() is called later than due() said, the delay is
/// not held against the agents, and the shell must drain its sockets before judging. After a
/// `Suspected` verdict a beat alone asks for a report (returned by beat()); the suspicion ends with
/// AgentReported.
class Liveness {
 public:
  explicit Liveness(const LivenessPlan& plan);

  /// Starts to watch an agent that joined or reported.
  void watch(ContainerId container, HostTime now);
  /// Stops watching: the container is draining or gone.
  void forget(const ContainerId& container);
  /// A heartbeat or any other frame arrived. Returns true if the agent was suspected: the shell
  /// asks it for a report.
  bool beat(const ContainerId& container, HostTime now);
  /// The connection closed. `process_dead`: the cluster or the kernel knows that the agent's
  /// process ended.
  void closed(const ContainerId& container, HostTime now, bool process_dead);
  /// A closed connection was re-established.
  void reconnected(const ContainerId& container, HostTime now);

  /// When judge() should next be called; HostTime::max() when nothing is watched. Beats do not move
  /// it: judge() then finds nothing and names the next time.
  [[nodiscard]] HostTime due() const { return due_; }
  /// Returns the verdicts that are new at `now`: AgentSuspected and AgentLost facts, in container
  /// order. An agent that is lost is no longer watched.
  [[nodiscard]] std::vector<Fact> judge(HostTime now);

 private:
  struct Agent {
    HostTime last_sign{};
    bool suspected = false;
    bool dead = false;
  };
  [[nodiscard]] HostTime due_of(const Agent& agent) const;

  LivenessPlan plan_;
  std::map<ContainerId, Agent> agents_;
  HostTime due_ = HostTime::max();  ///< Never later than the earliest verdict.
};

}  // namespace muster::job
