#include "control/dial.h"

#include "control/connection.h"
#include "control/handshake.h"
#include "net/address.h"
#include "net/socket.h"
#include "net/tcp_dialer.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <utility>

namespace muster::control {
namespace {

using Dialled = Result<std::unique_ptr<Channel>>;

/// Returns whom a dialling party reaches: a master or a stream its agent, everybody else the
/// master.
Peer server_of(const Peer& self) {
  const bool to_agent = self.kind == Peer::Kind::Master || self.kind == Peer::Kind::Stream;
  const auto kind = to_agent ? Peer::Kind::Agent : Peer::Kind::Master;
  return Peer{.kind = kind, .container = self.container};
}

Status as_status(net::TlsFailure failure, const Peer& self) {
  switch (failure) {
    case net::TlsFailure::None:
      return {};
    case net::TlsFailure::WrongKey:
    case net::TlsFailure::UnknownIdentity:
      return Error{Errc::Unauthenticated, Blame::Cluster,
                   fmt::format("it does not accept our key as {}", self.identity())};
    case net::TlsFailure::Protocol:
      return Error{Errc::Unauthenticated, Blame::Cluster, "it does not belong to a Muster job"};
    case net::TlsFailure::Connection:
      return cluster_error("the connection was closed during the handshake");
  }
  return {};
}

/// Returns whether the connection is a person's: someone who only waits must learn of a connection
/// that has silently died. The others hear from their peers all the time.
bool is_client(const Peer& self) {
  switch (self.kind) {
    case Peer::Kind::Owner:
    case Peer::Kind::Viewer:
    case Peer::Kind::Stream:
      return true;
    case Peer::Kind::Agent:
    case Peer::Kind::Master:
      return false;
  }
  return false;
}

rt::Async<Dialled> connect(DialDeps* deps, DialOptions* options) {
  MUSTER_CO_TRY(auto server, net::parse_host_port(options->address));
  auto dialled = co_await net::dial_tcp(&deps->loop, &deps->resolver, std::move(server));
  MUSTER_CO_TRY(rt::Fd socket, std::move(dialled));
  if (is_client(options->self)) {
    net::notice_loss_soon(socket.get());
  }
  auto stream =
      net::TlsStream::client(*deps->tls, std::move(socket), options->self.identity(), options->key);
  const net::TlsFailure failure = co_await shake_hands(&deps->loop, &stream);
  MUSTER_CO_TRY_STATUS(as_status(failure, options->self));
  auto connection =
      std::make_shared<Connection>(deps->loop, std::move(stream), server_of(options->self));
  co_return std::make_unique<TlsChannel>(std::move(connection));
}

/// Wipes a key at the end of its scope, however the scope is left.
class Wiped {
 public:
  explicit Wiped(Key& key) : key_(&key) {}
  Wiped(Wiped&&) = delete;
  ~Wiped() { net::wipe(*key_); }

 private:
  Key* key_;
};

}  // namespace

rt::Async<Dialled> dial(DialDeps deps, DialOptions options) {
  const Wiped wiped(options.key);
  auto work = connect(&deps, &options);
  auto channel = co_await rt::with_deadline(deps.loop, deps.loop.now() + options.patience,
                                            "an answer", std::move(work));
  if (!channel.has_value()) {
    co_return std::move(channel).error().within(options.address);
  }
  co_return channel;
}

}  // namespace muster::control
