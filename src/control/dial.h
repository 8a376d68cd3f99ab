#pragma once

#include "control/transport.h"
#include "net/resolver.h"
#include "net/tls.h"
#include "rt/async.h"
#include "rt/io_loop.h"

#include <memory>
#include <string>

namespace muster::control {

/// What a dial works with. Loop and resolver must outlive it.
struct DialDeps {
  rt::IoLoop& loop;
  std::shared_ptr<net::TlsContext> tls;
  net::Resolver& resolver;
};

struct DialOptions {
  std::string address;  ///< "host:port"
  Peer self;
  Key key{};
  Duration patience{};  ///< In total: for the name, TCP and the handshake.
};

/// Reaches a listener and authenticates to it. Errors begin with the address: DeadlineExceeded,
/// Unauthenticated if the other side does not accept the key, and those of dial_tcp.
[[nodiscard]] rt::Async<Result<std::unique_ptr<Channel>>> dial(DialDeps deps, DialOptions options);

}  // namespace muster::control
