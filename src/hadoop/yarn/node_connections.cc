#include "hadoop/yarn/node_connections.h"

#include "hadoop/rpc/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

constexpr Duration kIdleMax = std::chrono::minutes(1);

}  // namespace

struct NodeConnections::Lease::Open {
  std::unique_ptr<rpc::Proxy> proxy;
  int leases = 0;
  HostTime used;
};

NodeConnections::Lease::Lease(rt::Loop& loop, Open& open) : loop_(&loop), open_(&open) {
  ++open_->leases;
}

NodeConnections::Lease::Lease(Lease&& other) noexcept
    : loop_(other.loop_), open_(std::exchange(other.open_, nullptr)) {}

NodeConnections::Lease::~Lease() {
  if (open_ != nullptr) {
    --open_->leases;
    open_->used = loop_->now();
  }
}

rpc::Proxy* NodeConnections::Lease::proxy() const { return open_->proxy.get(); }

NodeConnections::NodeConnections(rt::Loop& loop, NodeDialer dial)
    : loop_(&loop), dial_(std::move(dial)) {}

NodeConnections::~NodeConnections() = default;

void NodeConnections::learn(const std::vector<NodeToken>& tokens) {
  for (const auto& one : tokens) {
    tokens_.insert_or_assign(one.node, one.token);
  }
}

Result<NodeConnections::Lease> NodeConnections::to(const NodeId& node) {
  close_idle();
  if (!tokens_.contains(node)) {
    return cluster_error(
        fmt::format("the resource manager provided no token for the node manager at {}",
                    to_string(node)),
        Errc::Unauthenticated);
  }
  auto& open = open_[node];
  if (open == nullptr) {
    open = std::make_unique<Lease::Open>();
    auto find_token = [this, node](const rpc::TokenQuery&) -> std::optional<rpc::TokenSecret> {
      const auto found = tokens_.find(node);
      if (found == tokens_.end()) {
        return std::nullopt;
      }
      return rpc::TokenSecret{.identifier = found->second.identifier,
                              .password = found->second.password.reveal()};
    };
    open->proxy = dial_(node, std::move(find_token));
  }
  return Lease(*loop_, *open);
}

void NodeConnections::close_idle() {
  const auto now = loop_->now();
  std::erase_if(open_, [&](const auto& entry) {
    const auto& open = *entry.second;
    return open.leases == 0 && now - open.used >= kIdleMax;
  });
}

NodeDialer node_dialer(rpc::Client& client, NodeDialSettings settings) {
  return
      [&client, settings = std::move(settings)](const NodeId& node, rpc::TokenFinder find_token) {
        rpc::Target target{
            .what = "NodeManager",
            .servers = {{.address = {.host = node.host, .port = static_cast<uint16_t>(node.port)},
                         .label = ""}},
            .protocol = {.name = std::string(kContainerProtocol)},
            .find_token = std::move(find_token),
            .protections = settings.protections};
        // Attempts are bounded by time, not by count.
        constexpr int kAttemptsMax = 1'000'000;
        const rpc::RetryOptions retry{
            .attempts_max = kAttemptsMax,
            .pause_first = std::min<Duration>(settings.pause, std::chrono::milliseconds(200)),
            .pause_max = std::min<Duration>(settings.pause, std::chrono::seconds(5)),
            .total_max = settings.wait_max};
        return client.proxy(std::move(target), rpc::ConnectionOptions(), retry);
      };
}

}  // namespace muster::hadoop::yarn
