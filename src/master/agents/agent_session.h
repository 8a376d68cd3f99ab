#pragma once

#include "base/log.h"
#include "control/transport.h"
#include "job/ids.h"
#include "wire/frame.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace muster::master {

/// One authenticated connection of one agent. Decodes its frames; a frame that cannot be read, or
/// one that comes before the hello, ends the connection (once, with the reason in the log).
///
/// The handlers may destroy the session.
class AgentSession {
 public:
  struct Handlers {
    std::function<void(wire::AgentHello&)> hello;
    std::function<void(wire::AgentFrame&)> frame;  ///< Everything after the hello.
    std::function<void()> closed;                  ///< Once.
  };

  AgentSession(std::unique_ptr<control::Channel> channel, const log::Logger& log);

  void start(Handlers handlers);
  /// Sends the welcome, once per connection: an agent that was dialled answers it with its hello.
  void welcome(std::shared_ptr<const std::string> frame) {
    if (!std::exchange(welcomed_, true)) {
      send_shared(std::move(frame));
    }
  }
  void send(wire::MasterFrame frame) { channel_->send_parts(wire::encode_parts(std::move(frame))); }
  void send_shared(std::shared_ptr<const std::string> frame) {
    channel_->send_shared(std::move(frame));
  }
  void close() { channel_->close(); }
  /// Ignores further frames and ends the connection, with the reason in the log.
  void refuse(std::string_view reason);

  [[nodiscard]] const job::ContainerId& container() const { return channel_->peer().container; }
  [[nodiscard]] bool said_hello() const { return said_hello_; }

 private:
  void on_frame(std::string_view bytes);
  void on(wire::AgentFrame& frame, wire::AgentHello& hello);
  void on(wire::AgentFrame& frame, const wire::Report& report);
  template <class Other>
  void on(wire::AgentFrame& frame, const Other&) {
    pass(frame);
  }
  void pass(wire::AgentFrame& frame);
  [[nodiscard]] bool reports_for_itself(const job::AgentReported& report);

  log::Logger log_;
  Handlers handlers_;
  bool said_hello_ = false;
  bool welcomed_ = false;
  bool refused_ = false;
  std::unique_ptr<control::Channel> channel_;  ///< Last: its callbacks use the rest.
};

}  // namespace muster::master
