#include "net/socket.h"

#include "rt/lingering_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <netinet/tcp.h>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace muster::net {
namespace {

rt::Fd open_socket(const SocketAddress& address) {
  return rt::Fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/// Whether a socket may be bound beside others of its port that do not listen: connections in
/// TIME_WAIT, and what holds the port for a task (os::HeldPort).
enum class Beside : uint8_t { None, NotListening };

/// Tries one port; an invalid descriptor with errno set on failure.
rt::Fd try_listen(const SocketAddress& address, Beside beside) {
  rt::Fd fd = open_socket(address);
  if (!fd.valid()) {
    return fd;
  }
  const int on = 1;
  const auto share = [&] {
    return ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0;
  };
  // Its connections inherit the flag in either case: whoever listens next comes past them.
  if ((beside == Beside::NotListening && !share()) ||
      ::bind(fd.get(), address.get(), address.size) != 0 || !share() ||
      ::listen(fd.get(), 4096) != 0) {
    const int error = errno;
    fd.reset();
    errno = error;
  }
  return fd;
}

/// Listens on a port of a range, which others share: what they hold for tasks without listening is
/// not free. An invalid descriptor with errno set on failure.
rt::Fd listen_in_range(SocketAddress address, uint16_t low, uint16_t high) {
  int error = EADDRINUSE;
  for (uint32_t port = low; port <= high; ++port) {
    address.set_port(static_cast<uint16_t>(port));
    rt::Fd fd = try_listen(address, Beside::None);
    error = errno;
    if (fd.valid() || (error != EADDRINUSE && error != EACCES)) {
      return fd;
    }
  }
  for (const uint16_t port : rt::lingering_ports()) {
    if (port >= low && port <= high) {
      address.set_port(port);
      rt::Fd fd = try_listen(address, Beside::NotListening);
      if (fd.valid()) {
        return fd;
      }
    }
  }
  errno = error;
  return {};
}

class TcpConnecting final : public Connecting {
 public:
  TcpConnecting(rt::IoLoop& loop, const SocketAddress& address, Done done)
      : loop_(loop), done_(std::move(done)), fd_(open_socket(address)) {
    if (!fd_.valid() ||
        (::connect(fd_.get(), address.get(), address.size) != 0 && errno != EINPROGRESS)) {
      finish(errno);
    } else {
      watch_ = loop.watch(fd_.get(), rt::Interest::Write, [this] { on_ready(); });
    }
  }
  ~TcpConnecting() override { loop_.cancel(timer_); }

 private:
  void on_ready() {
    int error = 0;
    socklen_t size = sizeof(error);
    ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    watch_.reset();
    tell(error);
  }
  /// Reports an error that is known at once in a later turn of the loop.
  void finish(int error) {
    timer_ = loop_.call_after(Duration::zero(), [this, error] { tell(error); });
  }
  void tell(int error) {
    const Done done = std::move(done_);
    if (error != 0) {
      done(system_error(error, "no connection"));  // May destroy this object.
      return;
    }
    disable_delay(fd_.get());
    done(std::move(fd_));
  }

  rt::IoLoop& loop_;
  Done done_;
  rt::Fd fd_;
  rt::TimerId timer_;
  std::unique_ptr<rt::FdWatch> watch_;  // Last: it ends before its descriptor closes.
};

}  // namespace

Result<Listening> listen_on(const ListenAddress& wanted) {
  auto address = parse_literal(wanted.host, wanted.port_low);
  if (!address.has_value()) {
    return user_error(fmt::format("cannot listen on {}: must be an IP address", wanted.host));
  }
  const uint16_t high = std::max(wanted.port_low, wanted.port_high);
  rt::Fd fd = high > wanted.port_low ? listen_in_range(*address, wanted.port_low, high)
                                     : try_listen(*address, Beside::NotListening);
  if (!fd.valid()) {
    const std::string where = wanted.port_low == 0 ? wanted.host
                                                   : fmt::format("{}, ports {} to {}", wanted.host,
                                                                 wanted.port_low, high);
    Error error = system_error(errno, fmt::format("cannot listen on {}", where));
    if (errno == EADDRINUSE) {
      error.code = Errc::AlreadyExists;
    }
    return error;
  }
  if (::getsockname(fd.get(), address->get(), &address->size) != 0) {
    return system_error(errno, "cannot determine the port of a listening socket");
  }
  return Listening{.fd = std::move(fd), .port = address->port()};
}

std::unique_ptr<Connecting> connect_to(rt::IoLoop& loop, const SocketAddress& address,
                                       Connecting::Done done) {
  return std::make_unique<TcpConnecting>(loop, address, std::move(done));
}

void disable_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void keep_alive(int fd) {
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

void notice_loss_soon(int fd) {
  constexpr int kIdleSeconds = 30;
  constexpr int kPauseSeconds = 10;
  constexpr int kProbes = 6;
  constexpr unsigned kUnansweredMs = 60'000;
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof(kIdleSeconds));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kPauseSeconds, sizeof(kPauseSeconds));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof(kProbes));
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnansweredMs, sizeof(kUnansweredMs));
  keep_alive(fd);
}

}  // namespace muster::net
