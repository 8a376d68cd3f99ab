#include "agent/session/tcp_session.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace muster::agent {
namespace {

/// To an address on this host; far longer than a program needs to accept.
constexpr Duration kDialPatience = std::chrono::seconds(5);

rt::Async<> at_once() { co_return; }

}  // namespace

TcpSession::TcpSession(rt::Loop& loop, net::Dialer& dialer, std::string own_address,
                       wire::StreamWindows windows, Handlers handlers)
    : loop_(loop),
      dialer_(dialer),
      own_address_(std::move(own_address)),
      windows_(windows),
      handlers_(std::move(handlers)),
      scope_(loop) {}

void TcpSession::start(uint16_t port) { scope_.spawn(connect(port)); }

rt::Async<> TcpSession::connect(uint16_t port) {
  std::vector<std::string> hosts = {"127.0.0.1", "::1"};
  if (!own_address_.empty() && own_address_ != hosts.front()) {
    hosts.push_back(own_address_);
  }
  for (const std::string& host : hosts) {
    auto dialling = dialer_.dial({.host = host, .port = port});
    auto connection =
        co_await rt::with_deadline(loop_, loop_.now() + kDialPatience,
                                   "a program to accept a connection", std::move(dialling));
    if (connection.has_value()) {
      handlers_.send(wire::StreamOpened{.window = windows_.here});
      bridge_.emplace(
          loop_, *std::move(connection),
          control::StreamBridge::Handlers{.send = handlers_.send, .ended = [this] { end(); }},
          windows_);
      co_return;
    }
  }
  handlers_.send(
      wire::StreamReset{wire::StreamFault::Refused,
                        fmt::format("no program listens on port {} of the task's host", port)});
  end();
}

Status TcpSession::take(wire::StreamFrame::Kind kind) {
  if (!bridge_) {
    return Error{Errc::Corrupt, Blame::Muster, "data before the stream is open"};
  }
  return bridge_->take(std::move(kind));
}

bool TcpSession::hang_up() {
  scope_.cancel();
  if (bridge_) {
    bridge_->reset();
  } else {
    end();
  }
  return true;
}

void TcpSession::attempt_over() {
  if (!over_) {
    handlers_.send(wire::StreamReset{wire::StreamFault::Lost, "the task has ended"});
    hang_up();
  }
}

void TcpSession::end() {
  if (!std::exchange(over_, true)) {
    ending_ = rt::start(loop_, at_once(), [this] {
      const auto ended = std::move(handlers_.ended);
      ended();
    });
  }
}

}  // namespace muster::agent
