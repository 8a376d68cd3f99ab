#pragma once

#include "inside/peers.h"
#include "net/address.h"

#include <functional>
#include <set>
#include <string>
#include <utility>

namespace muster::inside {

/// Lets in the hosts of the job's tasks, and reports those that it turns away.
class Door {
 public:
  /// Called once for each host that is turned away, up to a bound.
  using Refused = std::function<void(const std::string& host)>;

  Door(Peers peers, Refused refused) : peers_(std::move(peers)), refused_(std::move(refused)) {}

  [[nodiscard]] bool admits(const net::SocketAddress& peer);

 private:
  Peers peers_;
  Refused refused_;
  std::set<std::string> turned_away_;
};

}  // namespace muster::inside
