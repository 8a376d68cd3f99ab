#include "hadoop/rpc/client.h"
#include "hadoop/yarn/node_connections.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace muster::hadoop::yarn {

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
