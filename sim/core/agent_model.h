#pragma once

#include "job/action.h"
#include "job/fact.h"
#include "job/plan.h"
#include "sim/core/truth.h"
#include "sim/faults.h"
#include "sim/world.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace muster::sim {

/// What the agents of a run share.
struct AgentSurroundings {
  World& world;
  Faults& faults;
  Truth& truth;
  const job::Plan& plan;
  /// Delivers a fact to whoever is master when it arrives.
  std::function<void(const job::ContainerId& from, const job::Fact& fact)> tell;
  /// A process of `attempt` ended on its own: its peers may notice.
  std::function<void(const TrueAttempt& attempt)> process_died;
  /// Commits go through the master.
  std::function<void(const job::ContainerId& from, job::AttemptId attempt,
                     job::Generation generation)>
      ask_commit;
};

/// One agent with its container and its processes: obeys the highest epoch and generation that it
/// has seen, starts and stops what it is told to, and reports ends. Processes behave at random:
/// succeed, fail, hang, save checkpoints.
class AgentModel {
 public:
  AgentModel(AgentSurroundings surroundings, job::ContainerId container, job::HostName host);

  /// An order of a master of `epoch` has arrived.
  void order(job::Epoch epoch, const job::Action& action);
  /// Returns the full report, for a master of `epoch`; nullopt if the agent obeys a newer one.
  [[nodiscard]] std::optional<job::AgentReported> report(job::Epoch epoch);
  /// Everything in the container ends now; nobody is told.
  void die(TrueEnd how);
  /// A peer's process is gone: those of this agent that talk to it may fail.
  void peer_lost(const TrueAttempt& peer);

  [[nodiscard]] bool alive() const { return alive_; }
  [[nodiscard]] const job::HostName& host() const { return host_; }
  [[nodiscard]] const job::ContainerId& container() const { return container_; }

 private:
  struct Process {
    job::AttemptReport report;
    Time ended{};
    bool stopping = false;
    uint64_t life = 0;  ///< Guards events of an earlier life.
  };

  void prepare(const job::PrepareAttempt& prepare);
  void start(const job::StartAttempt& start);
  void stop(const job::StopAttempt& stop);
  void live(job::AttemptId attempt, uint64_t life);
  void end(job::AttemptId attempt, TrueEnd how, job::Exit exit, bool tell);
  void save(job::AttemptId attempt, uint64_t life);
  void lie(job::AgentReported& report);

  AgentSurroundings around_;
  job::ContainerId container_;
  job::HostName host_;
  bool alive_ = true;
  job::Epoch epoch_;
  job::Generation generation_;
  uint64_t lives_ = 0;
  std::map<job::AttemptId, Process> processes_;
};

/// Exits as the verdict rules would make them.
[[nodiscard]] job::Exit exit_of(int32_t code, std::string class_name, job::FailureKind kind,
                                job::Remedy remedy);
[[nodiscard]] job::Exit killed_by(int32_t signal, std::string class_name, job::FailureKind kind);

}  // namespace muster::sim
