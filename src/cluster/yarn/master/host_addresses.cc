#include "cluster/yarn/master/host_addresses.h"

#include "net/address.h"
#include "rt/wait.h"

#include <utility>

namespace muster::cluster::yarn {

rt::Async<Result<std::vector<std::string>>> literals_of(rt::Loop* loop, net::Resolver* resolver,
                                                        std::string host) {
  using Addresses = Result<std::vector<net::SocketAddress>>;
  auto ask = [&](rt::Answer<Addresses> answer) { resolver->resolve(host, 1, std::move(answer)); };
  const auto found = co_await rt::from_callback<Addresses>(*loop, std::move(ask));
  if (!found.has_value()) {
    co_return found.error();
  }
  std::vector<std::string> literals;
  for (const net::SocketAddress& address : *found) {
    literals.push_back(net::literal_of(address));
  }
  co_return literals;
}

}  // namespace muster::cluster::yarn
