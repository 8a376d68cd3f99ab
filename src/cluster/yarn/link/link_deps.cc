#include "cluster/yarn/link/link_deps.h"

#include "net/resolver.h"
#include "rt/wait.h"

#include <utility>
#include <vector>

namespace muster::cluster::yarn {
namespace {

rt::Async<Result<std::string>> first_address(Session* session, std::string host) {
  using Addresses = Result<std::vector<net::SocketAddress>>;
  auto resolved = co_await rt::from_callback<Addresses>(
      session->loop(), [&](const auto& answer) { session->resolver().resolve(host, 1, answer); });
  MUSTER_CO_TRY(const std::vector<net::SocketAddress> addresses, std::move(resolved));
  co_return net::literal_of(addresses.front());
}

}  // namespace

LinkDeps link_deps(Session& session, log::Sink& log) {
  return {.loop = session.loop(),
          .log = log,
          .site = session.site(),
          .call_manager =
              [&session](const hadoop::yarn::Calling& calling) {
                return session.client().proxy(calling.target, calling.connection, calling.retry);
              },
          .dial_nodes =
              [&session](hadoop::yarn::NodeDialSettings settings) {
                return hadoop::yarn::node_dialer(session.client(), std::move(settings));
              },
          .address_of =
              [&session](std::string host) { return first_address(&session, std::move(host)); }};
}

}  // namespace muster::cluster::yarn
