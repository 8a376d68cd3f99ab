#pragma once

#include "cluster/link.h"
#include "cluster/master_starter.h"
#include "sim/core/truth.h"
#include "sim/full/agent_process.h"
#include "sim/full/programs.h"
#include "sim/full/rogue.h"
#include "sim/full/setting.h"
#include "testing/memory_files.h"
#include "verdict/classifier.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace muster::sim {

/// The agents of a run, one for each container that was ever started, with the programs that they
/// start, and those who speak falsely in an agent's name.
class Agents {
 public:
  struct Around {
    verdict::Classifier& classifier;
    testing::MemoryTree& tree;
    cluster::MasterStarter& starter;
    /// A program has started: the last entry of the truth.
    std::function<void(const os::SpawnOptions&)> program_started;
    /// This container's agent ended by itself: its node notices.
    std::function<void(const job::ContainerId&)> ended;
  };
  Agents(Setting& setting, Around around);
  ~Agents();
  Agents(const Agents&) = delete;
  Agents& operator=(const Agents&) = delete;

  /// A master wants this container to run like this; the first order for it counts.
  void order(const cluster::LaunchOrder& order) { orders_.try_emplace(order.container, order); }
  void start(const cluster::LaunchOrder& order);
  /// Starts it as order() said.
  void start(const job::ContainerId& container) { start(orders_.at(container)); }
  /// Its processes end now, if they are alive.
  void end(const job::ContainerId& container, TrueEnd how);
  /// They end by themselves within this time.
  void wind_down(const job::ContainerId& container, Duration within);
  /// A master gave the container back: if its agent leaves now, that is no failure.
  void given_back(const job::ContainerId& container) { released_.insert(container); }

  [[nodiscard]] bool lives(const job::ContainerId& container) const;
  [[nodiscard]] std::vector<job::ContainerId> living() const;
  [[nodiscard]] std::vector<job::ContainerId> on(const job::HostName& host) const;
  /// Returns the loop of a container that was started.
  [[nodiscard]] ProcessLoop& loop_of(const job::ContainerId& container) {
    return agents_.at(container)->loop();
  }
  /// Somebody has its key and tells the master at this address things that are not true.
  void impersonate(const job::ContainerId& container, const std::string& master_address);

 private:
  [[nodiscard]] ProgramWorld program_world();
  void left(const job::ContainerId& container);
  void program_died(const TrueAttempt& attempt);

  Setting& setting_;
  Around around_;
  std::set<uint16_t> ports_;
  ProgramWorld programs_;
  std::map<job::ContainerId, cluster::LaunchOrder> orders_;
  std::set<job::ContainerId> released_;
  std::map<job::ContainerId, std::unique_ptr<AgentProcess>> agents_;
  std::vector<std::unique_ptr<Rogue>> rogues_;
};

}  // namespace muster::sim
