#pragma once

#include "agent/session/session.h"
#include "control/stream_bridge.h"
#include "net/stream.h"
#include "rt/loop.h"
#include "rt/running.h"
#include "rt/scope.h"
#include "wire/stream.h"
#include "wire/stream_ledger.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace muster::agent {

/// A person's connection to a port of this host, over a stream: to a program that listens on the
/// loopback addresses, or on the host's own. Lives on the loop's thread; destroying it closes the
/// connection.
class TcpSession final : public Session {
 public:
  struct Handlers {
    std::function<void(wire::StreamFrame::Kind)> send;
    std::function<void()> ended;  ///< Called once, from the event loop; may destroy the session.
  };

  /// `own_address`: where others reach the attempt; "" if that is not known.
  TcpSession(rt::Loop& loop, net::Dialer& dialer, std::string own_address,
             wire::StreamWindows windows, Handlers handlers);

  /// Connects. If nothing listens, the person is told so, and the session ends.
  void start(uint16_t port);

  [[nodiscard]] Status take(wire::StreamFrame::Kind kind) override;
  bool hang_up() override;
  void kill() override { end(); }
  void attempt_over() override;

 private:
  rt::Async<> connect(uint16_t port);
  void end();

  rt::Loop& loop_;
  net::Dialer& dialer_;
  std::string own_address_;
  wire::StreamWindows windows_;
  Handlers handlers_;
  bool over_ = false;
  std::optional<control::StreamBridge> bridge_;  ///< Once connected.
  rt::Running ending_;
  rt::Scope scope_;  ///< Last: its coroutine uses all of the above.
};

}  // namespace muster::agent
