#pragma once

#include "base/result.h"
#include "net/address.h"
#include "net/stream.h"
#include "rt/async.h"

#include <string>

/// The server's part of SOCKS 5 (RFC 1928) as far as a program needs it that wants to connect by
/// TCP: no authentication, CONNECT alone.
namespace muster::client {

/// Reads what a program asks for: where to connect to. An error, of which the program has been told
/// where the protocol lets it be, for anything else.
[[nodiscard]] rt::Async<Result<net::HostPort>> read_socks_request(net::Stream* stream);

/// What the program is told next: that it is connected,
[[nodiscard]] std::string socks_granted();
/// or that it is not, because the host cannot be had from here.
[[nodiscard]] std::string socks_refused();

}  // namespace muster::client
