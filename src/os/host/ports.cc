#include "os/host/ports.h"

#include "rt/fd.h"
#include "rt/lingering_ports.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

/// A literal address with a port, in the kernel's form.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] uint16_t port() const {
    // The port lies at the same place in both families.
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
  }
  void set_port(uint16_t port) { reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port); }
};

std::optional<SocketAddress> parse_literal(const std::string& host, uint16_t port) {
  SocketAddress address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  if (::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof(sockaddr_in);
    return address;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof(sockaddr_in6);
    return address;
  }
  return std::nullopt;
}

enum class Sharing : uint8_t { Alone, WithChildren };

/// Binds a new socket; an invalid one with errno set on failure.
rt::Fd bind_socket(const SocketAddress& address, Sharing sharing) {
  rt::Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = sharing == Sharing::WithChildren ? 1 : 0;
  if (fd.valid() && (::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
                     ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0 ||
                     ::bind(fd.get(), address.get(), address.size) != 0)) {
    const int error = errno;
    fd.reset();
    errno = error;
  }
  return fd;
}

/// Lets a socket that is bound alone be shared with children from now on.
bool share(const rt::Fd& fd) {
  const int on = 1;
  return ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
         ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0;
}

/// Binds a port on which old connections linger; an invalid descriptor if somebody else has just
/// done so. Sharing sockets could both bind it, but only one can listen.
rt::Fd bind_lingering(const SocketAddress& address) {
  rt::Fd fd = bind_socket(address, Sharing::WithChildren);
  if (fd.valid() && (::listen(fd.get(), 0) != 0 || ::shutdown(fd.get(), SHUT_RDWR) != 0)) {
    fd.reset();
  }
  return fd;
}

class BoundPort final : public HeldPort {
 public:
  BoundPort(rt::Fd fd, uint16_t number) : fd_(std::move(fd)), number_(number) {}
  [[nodiscard]] uint16_t number() const override { return number_; }

 private:
  rt::Fd fd_;
  uint16_t number_;
};

Error bind_error(int error, const std::string& host, uint16_t port) {
  const std::string what = port == 0 ? fmt::format("no free port on {}", host)
                                     : fmt::format("port {} on {} is not available", port, host);
  Error made = system_error(error, what);
  if (error == EADDRINUSE) {
    made.code = Errc::AlreadyExists;
  }
  return made;
}

Error no_literal(const std::string& host) {
  return user_error(fmt::format("a port can be bound on an IP address only, not on `{}`", host));
}

class HostPorts final : public Ports {
 public:
  Result<std::unique_ptr<HeldPort>> reserve(const std::string& host) override {
    return hold(host, 0);
  }

  Result<std::unique_ptr<HeldPort>> reserve_given(const std::string& host, uint16_t port) override {
    const auto address = parse_literal(host, port);
    if (address.has_value() && port != 0) {
      // A sharing socket binds even beside this user's others, so probe with one that does not
      // share.
      const rt::Fd probe = bind_socket(*address, Sharing::Alone);
      const int error = errno;
      if (!probe.valid() && (error != EADDRINUSE || !rt::lingering_ports().contains(port))) {
        return bind_error(error, host, port);
      }
    }
    return hold(host, port);
  }

  Result<std::unique_ptr<HeldPort>> reserve_between(const std::string& host, uint16_t low,
                                                    uint16_t high) override {
    auto address = parse_literal(host, low);
    if (!address.has_value()) {
      return no_literal(host);
    }
    for (uint32_t port = low; port <= high; ++port) {
      address->set_port(static_cast<uint16_t>(port));
      // Share it only once it is ours: if two look at the same time, one of them gets it.
      rt::Fd fd = bind_socket(*address, Sharing::Alone);
      if (fd.valid() && share(fd)) {
        return std::make_unique<BoundPort>(std::move(fd), static_cast<uint16_t>(port));
      }
      if (errno != EADDRINUSE && errno != EACCES) {
        return bind_error(errno, host, static_cast<uint16_t>(port));
      }
    }
    for (const uint16_t port : rt::lingering_ports()) {
      if (port < low || port > high) {
        continue;
      }
      address->set_port(port);
      rt::Fd fd = bind_lingering(*address);
      if (fd.valid()) {
        return std::make_unique<BoundPort>(std::move(fd), port);
      }
    }
    return Error{Errc::AlreadyExists, Blame::User,
                 fmt::format("all ports from {} to {} on {} are in use: widen network.port_range",
                             low, high, host)};
  }

 private:
  static Result<std::unique_ptr<HeldPort>> hold(const std::string& host, uint16_t port) {
    auto address = parse_literal(host, port);
    if (!address.has_value()) {
      return no_literal(host);
    }
    // Port 0 never yields a number that another socket has bound, whether that socket shares or
    // not.
    rt::Fd fd = bind_socket(*address, Sharing::WithChildren);
    if (!fd.valid()) {
      return bind_error(errno, host, port);
    }
    if (::getsockname(fd.get(), address->get(), &address->size) != 0) {
      return bind_error(errno, host, port);
    }
    return std::make_unique<BoundPort>(std::move(fd), address->port());
  }
};

}  // namespace

std::unique_ptr<Ports> make_ports() { return std::make_unique<HostPorts>(); }

}  // namespace muster::os
