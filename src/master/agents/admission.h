#pragma once

#include "cluster/link.h"
#include "control/transport.h"
#include "eventlog/log_file.h"
#include "job/machine.h"
#include "master/deps.h"
#include "wire/frame.h"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace muster::master {

/// Returns the secrets that the tasks of one role get: the role's own entries, and those for all
/// roles that it has no entry of its own for.
[[nodiscard]] std::map<std::string, std::string> secrets_of_role(
    const job::Plan& plan, job::RoleIndex role, const std::map<std::string, std::string>& secrets);

/// Where this master listens, who may connect, and what those who do are told first.
class Admission {
 public:
  /// `header` is that of this master's segment. All must outlive this.
  Admission(const MasterOptions& options, const eventlog::Header& header,
            const job::Machine& machine)
      : options_(options), header_(header), machine_(machine) {}

  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// Listens, and hands over peers that have proved their identity. Must come before any launch.
  [[nodiscard]] Status listen(control::Transport& transport, control::Transport::Accepted accepted);
  /// Publishes where this master listens, for clients and agents. May be repeated.
  [[nodiscard]] Status publish(cluster::PlaceStore& place) const;
  /// Stops admitting anybody.
  void close() { listener_.reset(); }
  /// Where this master listens, or did; "" before listen().
  [[nodiscard]] const std::string& address() const { return address_; }

  [[nodiscard]] job::Epoch epoch() const { return header_.epoch; }
  /// Returns the encoded MasterWelcome for this container's agent, with the secrets of its role
  /// alone; the same for all agents of a role.
  [[nodiscard]] std::shared_ptr<const std::string> agent_welcome(const job::ContainerId& container);
  [[nodiscard]] wire::ClientWelcome client_welcome() const;
  /// Returns a ticket, and the key that goes with it, with which one client may dial this
  /// container's agent for one stream; nothing while it is not known where that agent listens. A
  /// client that cannot reach the agent may dial this master with the same ticket, once: its bytes
  /// are relayed, unread.
  [[nodiscard]] std::optional<wire::StreamOffer> stream_offer(const job::ContainerId& container);
  /// Returns what the agent of a granted container must know to connect.
  [[nodiscard]] cluster::LaunchOrder launch_order(const job::ContainerId& container) const;

 private:
  /// Returns the key with which a peer proves its identity. Unauthenticated for one that has no
  /// business here: the agent of a container that is not alive, another master.
  [[nodiscard]] Result<control::Key> key_of(const control::Peer& peer) const;
  /// Returns where the agent listens that this ticket is for; nothing for a ticket that was not
  /// issued, was used, or is older than the last kTicketsMax.
  [[nodiscard]] std::optional<std::string> take_ticket(const control::Peer& stream);

  const MasterOptions& options_;
  const eventlog::Header& header_;
  const job::Machine& machine_;
  std::string address_;
  std::unique_ptr<control::Listener> listener_;
  /// By role. Encoded once: each carries the whole spec.
  std::map<job::RoleIndex, std::shared_ptr<const std::string>> agent_welcomes_;
  struct Ticket {
    job::ContainerId container;
    std::string ticket;
    std::string address;  ///< Of the container's agent.
  };
  static constexpr size_t kTicketsMax = 1024;
  std::deque<Ticket> tickets_;  ///< The oldest first.
};

}  // namespace muster::master
