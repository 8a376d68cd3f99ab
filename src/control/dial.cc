#include "control/dial.h"

#include "control/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::control {
namespace {

/// Who a dialling party reaches: a master its agent, everybody else the master.
Peer server_of(const Peer& self) {
  const auto kind = self.kind == Peer::Kind::Master ? Peer::Kind::Agent : Peer::Kind::Master;
  return Peer{.kind = kind, .container = self.container};
}

}  // namespace

Dial::Dial(Deps deps, Options options, Done done)
    : deps_(std::move(deps)), options_(std::move(options)), done_(std::move(done)) {
  deadline_ = deps_.loop.call_after(options_.deadline, [this] {
    finish(Error{Errc::DeadlineExceeded, Blame::Cluster, "no answer in time"});
  });
  start_ = deps_.loop.call_after(Duration::zero(), [this] { resolve(); });
}

Dial::~Dial() {
  net::wipe(options_.key);
  deps_.loop.cancel(deadline_);
  deps_.loop.cancel(start_);
}

void Dial::resolve() {
  auto address = net::parse_host_port(options_.address);
  if (!address.has_value()) {
    finish(std::move(address).error());
    return;
  }
  deps_.resolver.resolve(address->host, address->port,
                         [this, weak = std::weak_ptr(alive_)](auto found) {
                           if (weak.expired()) {
                             return;
                           }
                           if (!found.has_value()) {
                             finish(std::move(found).error());
                             return;
                           }
                           addresses_ = std::move(found).value();
                           std::ranges::reverse(addresses_);
                           try_next(bug("a name without addresses"));
                         });
}

void Dial::try_next(Error last) {
  if (addresses_.empty()) {
    finish(std::move(last));
    return;
  }
  const net::SocketAddress address = addresses_.back();
  addresses_.pop_back();
  connecting_ = net::connect_to(deps_.loop, address,
                                [this](Result<rt::Fd> socket) { on_connected(std::move(socket)); });
}

void Dial::on_connected(Result<rt::Fd> socket) {
  connecting_.reset();
  if (!socket.has_value()) {
    try_next(std::move(socket).error());
    return;
  }
  stream_ = net::TlsStream::client(*deps_.tls, std::move(socket).value(), options_.self.identity(),
                                   options_.key);
  net::wipe(options_.key);
  shake_hands();
}

void Dial::watch(rt::Interest interest) {
  if (watch_ != nullptr && interest_ == interest) {
    return;
  }
  interest_ = interest;
  watch_.reset();
  watch_ = deps_.loop.watch(stream_->fd(), interest, [this] { shake_hands(); });
}

void Dial::shake_hands() {
  switch (stream_->handshake()) {
    case net::TlsProgress::Done: {
      watch_.reset();
      auto connection =
          std::make_shared<Connection>(deps_.loop, std::move(*stream_), server_of(options_.self));
      finish(std::make_unique<TlsChannel>(std::move(connection)));
      return;
    }
    case net::TlsProgress::WantsRead:
      watch(rt::Interest::Read);
      return;
    case net::TlsProgress::WantsWrite:
      watch(rt::Interest::Write);
      return;
    case net::TlsProgress::Ended:
    case net::TlsProgress::Failed:
      break;
  }
  switch (stream_->failure()) {
    case net::TlsFailure::WrongKey:
    case net::TlsFailure::UnknownIdentity:
      finish(Error{Errc::Unauthenticated, Blame::Cluster,
                   fmt::format("our key as {} is not known there", options_.self.identity())});
      return;
    case net::TlsFailure::Protocol:
      finish(Error{Errc::Unauthenticated, Blame::Cluster, "this is no party of a Muster job"});
      return;
    case net::TlsFailure::Connection:
    case net::TlsFailure::None:
      finish(cluster_error("the connection was closed during the handshake"));
      return;
  }
}

void Dial::finish(Result<std::unique_ptr<Channel>> result) {
  watch_.reset();
  deps_.loop.cancel(deadline_);
  const Done done = std::move(done_);
  if (!result.has_value()) {
    done(std::move(result).error().within(options_.address));
    return;
  }
  done(std::move(result));
}

}  // namespace muster::control
