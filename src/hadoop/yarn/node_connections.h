#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/rpc/options.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/node.h"
#include "rt/loop.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace muster::hadoop::rpc {
class Client;
}

namespace muster::hadoop::yarn {

/// The node managers' protocol for application masters.
inline constexpr std::string_view kContainerProtocol =
    "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB";

/// Makes a proxy for one node manager, which calls `find_token` for each new connection.
using NodeDialer =
    std::function<std::unique_ptr<rpc::Proxy>(const NodeId& node, rpc::TokenFinder find_token)>;

/// Returns a dialer over `client`, which must outlive its proxies. `settings.wait_max`: how long
/// one call tries to reach a node manager, `pause` how long it waits between attempts.
struct NodeDialSettings {
  Duration wait_max = std::chrono::minutes(3);
  Duration pause = std::chrono::seconds(10);
  std::vector<rpc::Protection> protections;  ///< Empty: the strongest one offered.
};
[[nodiscard]] NodeDialer node_dialer(rpc::Client& client, NodeDialSettings settings);

/// An application master's connections to node managers: one proxy for each node in use, made when
/// it is needed and dropped after a minute without calls; and the tokens for them. Must outlive its
/// leases.
class NodeConnections {
 public:
  /// Holds a node's proxy open while it lives.
  class Lease {
   public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    [[nodiscard]] rpc::Proxy* proxy() const;

   private:
    friend class NodeConnections;
    struct Open;
    Lease(rt::Loop& loop, Open& open);

    rt::Loop* loop_;
    Open* open_;
  };

  NodeConnections(rt::Loop& loop, NodeDialer dial);
  NodeConnections(NodeConnections&&) = delete;
  ~NodeConnections();

  /// Takes in the tokens that come with registration and heartbeats: the newest for a node counts.
  void learn(const std::vector<NodeToken>& tokens);
  /// Unauthenticated if no token for the node has arrived.
  [[nodiscard]] Result<Lease> to(const NodeId& node);
  /// Returns how many proxies exist.
  [[nodiscard]] size_t open() const { return open_.size(); }

 private:
  void close_idle();

  rt::Loop* loop_;
  NodeDialer dial_;
  std::map<NodeId, Token> tokens_;
  std::map<NodeId, std::unique_ptr<Lease::Open>> open_;
};

}  // namespace muster::hadoop::yarn
