#include "control/passed_connections.h"

#include "net/address.h"
#include "net/ready.h"
#include "net/socket.h"
#include "net/tcp_dialer.h"
#include "rt/wait.h"

#include <cerrno>
#include <chrono>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace muster::control {
namespace {

constexpr Duration kDialPatience = std::chrono::seconds(2);
constexpr size_t kPiece = 256U << 10;
constexpr int kPiecesOfTurn = 4;  // Then other connections have their turn.

/// Returns whether a call has to be repeated once the socket is ready.
bool must_wait() { return errno == EAGAIN || errno == EINTR; }

/// Sends as much as the kernel accepts now; returns nullopt if the connection is broken.
std::optional<size_t> send_now(int fd, std::string_view bytes) {
  const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0 && !must_wait()) {
    return std::nullopt;
  }
  return sent > 0 ? static_cast<size_t>(sent) : 0;
}

}  // namespace

void PassedConnections::pass(rt::Fd socket, std::string address) {
  if (scope_.size() >= kMax) {
    return;
  }
  if (!resolver_) {
    resolver_.emplace(loop_);
  }
  scope_.spawn(connect(std::move(socket), std::move(address)));
}

rt::Async<> PassedConnections::connect(rt::Fd from, std::string address) {
  auto server = net::parse_host_port(address);
  if (!server.has_value()) {
    co_return;
  }
  auto dialling = net::dial_tcp(&loop_, &*resolver_, *std::move(server));
  auto to = co_await rt::with_deadline(loop_, loop_.now() + kDialPatience, "an answer",
                                       std::move(dialling));
  if (!to.has_value()) {
    co_return;
  }
  net::keep_alive(to->get());
  std::vector<rt::Async<bool>> ways;
  ways.push_back(carry(from.get(), to->get()));
  ways.push_back(carry(to->get(), from.get()));
  co_await rt::all(loop_, std::move(ways));
}

rt::Async<bool> PassedConnections::carry(int from, int to) {
  while (true) {
    co_await net::Ready(loop_, from, rt::Interest::Read);
    for (int pieces = 0; pieces < kPiecesOfTurn; ++pieces) {
      piece_.resize(kPiece);
      const ssize_t got = ::recv(from, piece_.data(), piece_.size(), 0);
      if (got < 0 && must_wait()) {
        break;
      }
      if (got == 0) {
        ::shutdown(to, SHUT_WR);
        co_return true;
      }
      const std::string_view bytes(piece_.data(), got > 0 ? static_cast<size_t>(got) : 0);
      const std::optional<size_t> sent = got > 0 ? send_now(to, bytes) : std::nullopt;
      const bool stands = sent && (*sent == bytes.size() ||
                                   co_await send_rest(to, std::string(bytes.substr(*sent))));
      if (!stands) {
        // The other direction must not wait for bytes that will never come.
        ::shutdown(from, SHUT_RDWR);
        ::shutdown(to, SHUT_RDWR);
        co_return false;
      }
    }
  }
}

rt::Async<bool> PassedConnections::send_rest(int to, std::string rest) {
  size_t done = 0;
  while (done < rest.size()) {
    co_await net::Ready(loop_, to, rt::Interest::Write);
    const std::optional<size_t> sent = send_now(to, std::string_view(rest).substr(done));
    if (!sent) {
      co_return false;
    }
    done += *sent;
  }
  co_return true;
}

}  // namespace muster::control
