#include "inside/socket_line.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace muster::inside {
namespace {

constexpr int kAnswerPatience = 30;  // Seconds.
constexpr Duration kConnectFor = std::chrono::seconds(60);
constexpr int kPauseMilliseconds = 50;

Error broken(std::string_view what) {
  return {.code = Errc::Unavailable,
          .blame = Blame::Cluster,
          .message = fmt::format("the connection ended {}", what)};
}

/// Reads at most `size` bytes, at least one.
Result<size_t> read_some(int socket, char* to, size_t size) {
  while (true) {
    const ssize_t got = ::recv(socket, to, size, 0);
    if (got > 0) {
      return static_cast<size_t>(got);
    }
    if (got == 0) {
      return broken("early");
    }
    if (errno != EINTR) {
      return system_error(errno, "cannot read from the other task");
    }
  }
}

}  // namespace

Result<rt::Fd> connect_to(const net::HostPort& where) {
  const auto address = net::parse_literal(where.host, where.port);
  if (!address.has_value()) {
    return user_error(fmt::format("{} is not an IP address", where.host));
  }
  const auto until = std::chrono::steady_clock::now() + kConnectFor;
  while (true) {
    rt::Fd socket(::socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    set_patience(socket.get(), kAnswerPatience);
    if (::connect(socket.get(), address->get(), address->size) == 0) {
      return socket;
    }
    if (errno != ECONNREFUSED || std::chrono::steady_clock::now() > until) {
      return system_error(errno, fmt::format("cannot connect to {}", net::to_string(where)));
    }
    (void)::poll(nullptr, 0, kPauseMilliseconds);
  }
}

void set_patience(int socket, int seconds) {
  const timeval time{.tv_sec = seconds, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

Status write_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent <= 0) {
      return system_error(errno, "cannot write to the other task");
    }
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return {};
}

Result<std::string> read_line(int socket, size_t size_max) {
  std::string line;
  while (line.size() <= size_max) {
    char letter = 0;
    MUSTER_TRY([[maybe_unused]] const size_t got, read_some(socket, &letter, 1));
    if (letter == '\n') {
      return line;
    }
    line += letter;
  }
  return Error{Errc::Corrupt, Blame::Cluster, "a line is too long"};
}

Result<std::string> read_bytes(int socket, size_t size) {
  std::string text(size, '\0');
  for (size_t at = 0; at < size;) {
    MUSTER_TRY(const size_t got, read_some(socket, text.data() + at, size - at));
    at += got;
  }
  return text;
}

}  // namespace muster::inside
