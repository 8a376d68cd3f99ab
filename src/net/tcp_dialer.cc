#include "net/tcp_dialer.h"

#include "net/abort.h"
#include "net/ready.h"
#include "net/socket.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>
#include <vector>

namespace muster::net {
namespace {

/// How many parts one writev takes.
constexpr size_t kPartsMax = 64;

std::string numeric(const SocketAddress& address) {
  const void* bytes = &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr;
  if (address.storage.ss_family == AF_INET6) {
    bytes = &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr;
  }
  std::array<char, INET6_ADDRSTRLEN> host{};
  ::inet_ntop(address.storage.ss_family, bytes, host.data(), host.size());
  return to_string(HostPort{.host = host.data(), .port = address.port()});
}

std::string peer_of(int fd) {
  SocketAddress address;
  address.size = sizeof(address.storage);
  return ::getpeername(fd, address.get(), &address.size) == 0 ? numeric(address)
                                                              : "a closed connection";
}

class TcpStream final : public Stream {
 public:
  TcpStream(rt::IoLoop& loop, rt::Fd socket, std::string peer)
      : loop_(&loop), socket_(std::move(socket)), peer_(std::move(peer)) {}

  rt::Async<Result<size_t>> read_some(std::span<uint8_t> buffer) override;
  rt::Async<Status> write_parts(std::span<const std::span<const uint8_t>> parts) override;
  void close_write() override { ::shutdown(socket_.get(), SHUT_WR); }
  [[nodiscard]] const std::string& peer() const override { return peer_; }
  void reset_when_closed() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }

 private:
  [[nodiscard]] Error broken(int error) const {
    Error result = system_error(error, fmt::format("the connection to {} was lost", peer_));
    result.code = Errc::Unavailable;
    result.blame = Blame::Cluster;
    return result;
  }

  /// Sends what fits of `parts` from byte `offset` of the first; -1 with errno on failure.
  [[nodiscard]] ssize_t send_some(std::span<const std::span<const uint8_t>> parts,
                                  size_t offset) const;

  rt::IoLoop* loop_;
  rt::Fd socket_;
  std::string peer_;
};

ssize_t TcpStream::send_some(std::span<const std::span<const uint8_t>> parts, size_t offset) const {
  std::array<iovec, kPartsMax> pieces{};
  const size_t count = std::min(parts.size(), pieces.size());
  for (size_t i = 0; i < count; ++i) {
    const auto rest = parts[i].subspan(i == 0 ? offset : 0);
    pieces[i] = {.iov_base = const_cast<uint8_t*>(rest.data()), .iov_len = rest.size()};
  }
  const msghdr message{.msg_iov = pieces.data(), .msg_iovlen = count};
  return ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
}

rt::Async<Result<size_t>> TcpStream::read_some(std::span<uint8_t> buffer) {
  while (true) {
    const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (size >= 0) {
      co_return static_cast<size_t>(size);
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      co_await Ready(*loop_, socket_.get(), rt::Interest::Read);
    } else if (errno != EINTR) {
      co_return broken(errno);
    }
  }
}

rt::Async<Status> TcpStream::write_parts(std::span<const std::span<const uint8_t>> parts) {
  size_t part = 0;
  size_t offset = 0;
  while (true) {
    while (part < parts.size() && offset >= parts[part].size()) {
      offset -= parts[part++].size();
    }
    if (part == parts.size()) {
      co_return Status();
    }
    const ssize_t sent = send_some(parts.subspan(part), offset);
    if (sent >= 0) {
      offset += static_cast<size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      co_await Ready(*loop_, socket_.get(), rt::Interest::Write);
    } else if (errno != EINTR) {
      co_return broken(errno);
    }
  }
}

}  // namespace

void abort_connection(Stream& stream) {
  if (auto* const tcp = dynamic_cast<TcpStream*>(&stream)) {
    tcp->reset_when_closed();
  }
}

std::unique_ptr<Stream> tcp_stream(rt::IoLoop& loop, rt::Fd socket) {
  std::string peer = peer_of(socket.get());
  return std::make_unique<TcpStream>(loop, std::move(socket), std::move(peer));
}

std::unique_ptr<Stream> tcp_stream(rt::IoLoop& loop, rt::Fd socket, const SocketAddress& peer) {
  return std::make_unique<TcpStream>(loop, std::move(socket), numeric(peer));
}

rt::Async<Result<rt::Fd>> dial_tcp(rt::IoLoop* loop, Resolver* resolver, HostPort server) {
  using Addresses = std::vector<SocketAddress>;
  auto look_up = [&](rt::Answer<Result<Addresses>> answer) {
    resolver->resolve(server.host, server.port, std::move(answer));
  };
  auto found = co_await rt::from_callback<Result<Addresses>>(*loop, std::move(look_up));
  if (!found.has_value()) {
    co_return std::move(found).error();
  }
  Result<rt::Fd> socket = bug("the name has no addresses");
  for (const SocketAddress& address : *found) {
    auto begin = [&](rt::Answer<Result<rt::Fd>> answer) {
      return connect_to(*loop, address, std::move(answer));
    };
    socket = co_await rt::from_callback<Result<rt::Fd>>(*loop, std::move(begin));
    if (socket.has_value()) {
      break;
    }
  }
  co_return socket;
}

rt::Async<Result<std::unique_ptr<Stream>>> TcpDialer::dial(HostPort server) {
  auto socket = co_await dial_tcp(loop_, &resolver_, server);
  if (!socket.has_value()) {
    co_return std::move(socket).error().within(fmt::format("cannot reach {}", to_string(server)));
  }
  keep_alive(socket->get());
  co_return tcp_stream(*loop_, *std::move(socket));
}

}  // namespace muster::net
