#pragma once

#include "cluster/link.h"
#include "os/process/processes.h"
#include "sim/core/checker.h"
#include "sim/core/probes.h"
#include "sim/full/agent_watch.h"
#include "sim/full/log_shadow.h"
#include "sim/full/mirror_check.h"
#include "sim/full/setting.h"
#include "testing/memory_files.h"

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

/// What must hold in a run, and the first thing that did not. Hears what is logged, started and
/// given back, and compares it with the truth. Follows the log by a LogShadow of its own.
class Judgement {
 public:
  struct Around {
    LogDisk& disk;
    const testing::MemoryTree& tree;  ///< Where committed checkpoints are looked for.
    bool trace = false;               ///< Print every fact with its actions.
  };
  /// Gives the world the digest of each state of the machine.
  Judgement(Setting& setting, const Around& around);
  ~Judgement();
  Judgement(const Judgement&) = delete;
  Judgement& operator=(const Judgement&) = delete;

  /// A program runs: the last entry of the truth.
  void started(const os::SpawnOptions& options);
  /// A master gave this container back to the cluster.
  void given_back(const job::ContainerId& container, cluster::Confirm confirm);
  /// A master took leave of the cluster with this outcome.
  void left_cluster(const job::Outcome& outcome);
  /// Somebody else speaks in this agent's name.
  void impersonated(const job::ContainerId& container) { watch_.impersonated(container); }
  /// Looks at the committed checkpoints; to be called now and then, and at the end.
  void look_at_mirror();
  /// The job is over and its time to wind down has passed: nothing may be left but `summary`.
  void check_end(std::span<const job::ContainerId> living_agents, const std::string& summary);
  /// Takes what the checkers have found.
  void collect();

  /// Notes that something is broken, reported as "who: what". The first one decides; an empty
  /// `what` means that nothing is.
  void broken(std::string_view who, std::string what);
  [[nodiscard]] const std::string& failure() const { return failure_; }

  /// Returns the machine according to the log on the disk.
  [[nodiscard]] const job::Machine& machine() const { return shadow_.machine(); }
  [[nodiscard]] uint64_t facts() const { return shadow_.size(); }
  /// Returns the rare branches of the machine that were reached.
  [[nodiscard]] const std::set<std::string>& reached() const { return probes_.reached(); }

 private:
  [[nodiscard]] LogShadow::Handlers shadow_handlers();
  void logged(const eventlog::Record& record, const job::Machine& machine);
  void applied(const eventlog::Record& record, std::span<const job::Action> actions,
               const job::Machine& machine);

  Setting& setting_;
  Around around_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  Probes probes_;
  Grants grants_;
  MirrorCheck mirror_;
  AgentWatch watch_;
  LogShadow shadow_;
  std::map<job::Generation, std::string> views_;  ///< As each one's first program found it.
  std::string failure_;
};

}  // namespace muster::sim
