#pragma once

#include "base/result.h"
#include "net/address.h"
#include "net/stream.h"
#include "rt/async.h"

#include <string>

/// The server side of SOCKS 5 (RFC 1928), as far as programs need it to connect by TCP: no
/// authentication, CONNECT only.
namespace muster::client {

/// Reads where a program wants to connect to. Returns an error for anything else, after telling the
/// program so if the protocol allows it.
[[nodiscard]] rt::Async<Result<net::HostPort>> read_socks_request(net::Stream* stream);

/// Returns the reply that says that it is connected.
[[nodiscard]] std::string socks_granted();
/// Returns the reply that says that it is not, because the host cannot be reached from here.
[[nodiscard]] std::string socks_refused();

}  // namespace muster::client
