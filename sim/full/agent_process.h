#pragma once

#include "agent/agent.h"
#include "cluster/link.h"
#include "cluster/master_starter.h"
#include "sim/full/process_loop.h"
#include "sim/full/programs.h"
#include "sim/full/sim_host.h"
#include "testing/memory_files.h"
#include "testing/memory_transport.h"

#include <functional>
#include <memory>
#include <set>
#include <string>

namespace muster::sim {

/// The process of one container: the real agent on a simulated host.
class AgentProcess {
 public:
  struct Around {
    ProgramWorld& programs;
    testing::MemoryNetwork& network;
    testing::MemoryTree& tree;
    std::set<uint16_t>& ports;
    log::Sink& sink;
    ProcessLoop::Pace pace;
    cluster::MasterStarter* starter;
    /// It has ended by itself.
    std::function<void(const job::ContainerId&)> left;
  };

  AgentProcess(Around around, const cluster::LaunchOrder& order);
  ~AgentProcess();
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  /// The process ends, with everything that it has started. Must not be called from its own
  /// callbacks.
  void die(TrueEnd how);

  [[nodiscard]] bool alive() const { return agent_ != nullptr; }
  /// Returns its name in the network.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const job::HostName& host() const { return host_; }
  [[nodiscard]] ProcessLoop& loop() { return loop_; }
  [[nodiscard]] Programs& programs() { return programs_; }

 private:
  [[nodiscard]] Status disk_trouble(const os::Path& path, testing::MemoryFiles::Access access);

  Around around_;
  job::ContainerId container_;
  job::HostName host_;
  std::string name_;
  ProcessLoop loop_;
  testing::MemoryTransport transport_;
  testing::MemoryFiles files_;
  Programs programs_;
  SimPorts ports_;
  SimMeter meter_;
  NoLeftovers leftovers_;
  std::unique_ptr<agent::Agent> agent_;  ///< nullptr once it is dead.
};

/// Returns the name in the network of a container's agent.
[[nodiscard]] std::string agent_name(const job::ContainerId& container);

}  // namespace muster::sim
