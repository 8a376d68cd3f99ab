#include "client/reach/loopback_listener.h"

#include "net/tcp_dialer.h"
#include "os/host/peer_user.h"

#include <fmt/format.h>

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace muster::client {

Result<std::unique_ptr<LoopbackListener>> LoopbackListener::open(rt::IoLoop& loop, uint16_t port) {
  auto listening = net::listen_on({.host = "127.0.0.1", .port_low = port, .port_high = port});
  if (!listening && listening.error().code == Errc::AlreadyExists) {
    return user_error(
        fmt::format("port {} of this machine is in use; name another, or 0 for any free one, as in "
                    "0:{}",
                    port, port),
        Errc::AlreadyExists);
  }
  if (!listening) {
    return std::move(listening).error();
  }
  return std::make_unique<LoopbackListener>(loop, *std::move(listening));
}

void LoopbackListener::accept(Accepted accepted, Refused refused) {
  accepted_ = std::move(accepted);
  refused_ = std::move(refused);
  coming_.emplace(loop_, listening_.fd.get(), [this] { on_readable(); });
}

void LoopbackListener::on_readable() {
  rt::Fd socket(::accept4(listening_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.valid() && !may_connect(socket.get())) {
    return;
  }
  if (socket.valid()) {
    net::disable_delay(socket.get());
    accepted_(net::tcp_stream(loop_, std::move(socket)));
  } else if (rt::no_descriptor_left(errno)) {
    coming_->rest();
  }
}

/// If the kernel does not say who somebody is, everybody may connect.
bool LoopbackListener::may_connect(int connection) const {
  if (refused_ == nullptr) {
    return true;
  }
  const Result<uint32_t> user = os::peer_user(connection);
  if (!user) {
    return user.error().code == Errc::Unsupported;
  }
  if (*user == 0 || *user == ::geteuid()) {
    return true;
  }
  refused_(*user);
  return false;
}

}  // namespace muster::client
