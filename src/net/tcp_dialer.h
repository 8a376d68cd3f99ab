#pragma once

#include "net/resolver.h"
#include "net/stream.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <memory>

namespace muster::net {

/// Wraps a connected non-blocking socket (of a dialer or a listener).
[[nodiscard]] std::unique_ptr<Stream> tcp_stream(rt::IoLoop& loop, rt::Fd socket);
/// The same for callers that already know the peer's address, as from accept(), which saves a
/// system call.
[[nodiscard]] std::unique_ptr<Stream> tcp_stream(rt::IoLoop& loop, rt::Fd socket,
                                                 const SocketAddress& peer);

/// Resolves a name or a literal and connects, trying the addresses in turn; returns a non-blocking
/// socket with TCP_NODELAY. Errors are those of the resolver, or of the last address tried. Loop
/// and resolver must outlive the coroutine.
[[nodiscard]] rt::Async<Result<rt::Fd>> dial_tcp(rt::IoLoop* loop, Resolver* resolver,
                                                 HostPort server);

/// Dials by name over TCP with TCP_NODELAY and SO_KEEPALIVE. Resolves names anew for each dial.
class TcpDialer final : public Dialer {
 public:
  explicit TcpDialer(rt::IoLoop& loop) : loop_(&loop), resolver_(loop) {}
  [[nodiscard]] rt::Async<Result<std::unique_ptr<Stream>>> dial(HostPort server) override;

 private:
  rt::IoLoop* loop_;
  Resolver resolver_;
};

}  // namespace muster::net
