#pragma once

#include "cluster/link.h"
#include "control/transport.h"
#include "eventlog/log_file.h"
#include "job/machine.h"
#include "master/deps.h"
#include "wire/frame.h"

#include <map>
#include <memory>
#include <string>

namespace muster::master {

/// The secrets that the tasks of one role are given: its own entries, and of those for all roles
/// what it has no entry of its own for.
[[nodiscard]] std::map<std::string, std::string> secrets_of_role(
    const job::Plan& plan, job::RoleIndex role, const std::map<std::string, std::string>& secrets);

/// Who may connect to this master, and what those who do are told first.
class Admission {
 public:
  /// `header`: of this master's segment. All outlive this.
  Admission(const MasterOptions& options, const eventlog::Header& header,
            const job::Machine& machine)
      : options_(options), header_(header), machine_(machine) {}

  /// This master listens there. Comes before anybody connects and before any launch.
  void listening_on(std::string address) { address_ = std::move(address); }

  [[nodiscard]] job::Epoch epoch() const { return header_.epoch; }
  /// The key that proves a peer to be who it says. Unauthenticated for one that has no business
  /// here: the agent of a container that is not alive, another master.
  [[nodiscard]] Result<control::Key> key_of(const control::Peer& peer) const;
  /// The encoded MasterWelcome of this container's agent, with the secrets of its role alone; the
  /// same for all agents of a role.
  [[nodiscard]] std::shared_ptr<const std::string> agent_welcome(const job::ContainerId& container);
  [[nodiscard]] wire::ClientWelcome client_welcome() const;
  /// What the agent of a granted container must know to come here.
  [[nodiscard]] cluster::LaunchOrder launch_order(const job::ContainerId& container) const;

 private:
  const MasterOptions& options_;
  const eventlog::Header& header_;
  const job::Machine& machine_;
  std::string address_;
  /// By role. Encoded once: each carries the whole spec.
  std::map<job::RoleIndex, std::shared_ptr<const std::string>> agent_welcomes_;
};

}  // namespace muster::master
