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

/// The secrets that the tasks of one role are given: its own entries, and of those for all roles
/// what it has no entry of its own for.
[[nodiscard]] std::map<std::string, std::string> secrets_of_role(
    const job::Plan& plan, job::RoleIndex role, const std::map<std::string, std::string>& secrets);

/// Where this master listens, who may connect, and what those who do are told first.
class Admission {
 public:
  /// `header`: of this master's segment. All outlive this.
  Admission(const MasterOptions& options, const eventlog::Header& header,
            const job::Machine& machine)
      : options_(options), header_(header), machine_(machine) {}

  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// Listens, and hands over whoever proves to be who they say. Comes before any launch.
  [[nodiscard]] Status listen(control::Transport& transport, control::Transport::Accepted accepted);
  /// Publishes where this master listens, for clients and agents. Again is harmless.
  [[nodiscard]] Status publish(cluster::PlaceStore& place) const;
  /// Nobody is let in any more.
  void close() { listener_.reset(); }
  /// Where this master listens, or did; "" before listen().
  [[nodiscard]] const std::string& address() const { return address_; }

  [[nodiscard]] job::Epoch epoch() const { return header_.epoch; }
  /// The encoded MasterWelcome of this container's agent, with the secrets of its role alone; the
  /// same for all agents of a role.
  [[nodiscard]] std::shared_ptr<const std::string> agent_welcome(const job::ContainerId& container);
  [[nodiscard]] wire::ClientWelcome client_welcome() const;
  /// A ticket, and the key that goes with it, with which one client may dial this container's
  /// agent for one stream; nothing while it is not known where that listens. A client that does not
  /// get there may dial this master with the same ticket, once: it is passed on, unread.
  [[nodiscard]] std::optional<wire::StreamOffer> stream_offer(const job::ContainerId& container);
  /// What the agent of a granted container must know to come here.
  [[nodiscard]] cluster::LaunchOrder launch_order(const job::ContainerId& container) const;

 private:
  /// The key that proves a peer to be who it says. Unauthenticated for one that has no business
  /// here: the agent of a container that is not alive, another master.
  [[nodiscard]] Result<control::Key> key_of(const control::Peer& peer) const;
  /// Where the agent listens that this ticket is for; nothing for one that was not given out, was
  /// used, or is older than the last kTicketsMax.
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
