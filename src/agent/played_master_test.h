#pragma once

#include "control/keys.h"
#include "rt/io_loop.h"
#include "spec/write/serialize.h"
#include "testing/memory_transport.h"
#include "wire/frame.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace muster::agent {

/// Plays the master in an agent's tests: listens in an in-memory network, records what the agent
/// says, and says what the test wants.
class PlayedMaster {
 public:
  PlayedMaster(rt::IoLoop& loop, const spec::Spec& spec) : spec_(spec), network_(loop) {
    key_.fill(7);
  }
  PlayedMaster(const PlayedMaster&) = delete;
  PlayedMaster& operator=(const PlayedMaster&) = delete;

  /// Returns the transport by which the agent reaches it.
  [[nodiscard]] control::Transport& to_master() { return agent_transport_; }
  [[nodiscard]] const std::string& address() const { return listener_->address(); }
  [[nodiscard]] const control::Key& key() const { return key_; }

  void listen() {
    listener_ =
        transport_
            .listen(
                {}, [this](const control::Peer&) -> Result<control::Key> { return key_; },
                [this](std::unique_ptr<control::Channel> channel) { adopt(std::move(channel)); })
            .value();
  }
  /// Sets whether it answers agents that say hello; at first it does.
  void welcomes(bool on) { welcomes_ = on; }
  void welcome() {
    welcomed_ = true;
    wire::MasterWelcome frame;
    frame.epoch = job::Epoch{1};
    frame.job_id = "test-1";
    frame.seed = 5;
    frame.plan_json = spec::to_json(spec_);
    frame.secrets = {{"env.TOKEN", "s3cret"}};
    frame.master_address = address();
    send(frame);
  }
  void send(const wire::MasterFrame& frame) { channel_->send(wire::encode(frame)); }
  void break_line() { channel_.reset(); }
  void go() {
    break_line();
    listener_.reset();
  }

  /// Returns whether it has a connection and has welcomed an agent.
  [[nodiscard]] bool has_agent() const { return channel_ != nullptr && welcomed_; }
  /// Returns what the agent has said and the test has not taken yet, oldest first.
  [[nodiscard]] const std::vector<wire::AgentFrame>& heard() const { return heard_; }
  [[nodiscard]] std::vector<wire::AgentFrame> take() { return std::exchange(heard_, {}); }
  /// Removes and returns the oldest frame; nullopt if there is none.
  [[nodiscard]] std::optional<wire::AgentFrame> take_one() {
    if (heard_.empty()) {
      return std::nullopt;
    }
    std::optional<wire::AgentFrame> first = std::move(heard_.front());
    heard_.erase(heard_.begin());
    return first;
  }

 private:
  void adopt(std::unique_ptr<control::Channel> channel) {
    channel_ = std::move(channel);
    channel_->start({.frame =
                         [this](std::string_view bytes) {
                           heard_.push_back(wire::decode_agent_frame(bytes).value());
                           if (std::holds_alternative<wire::AgentHello>(heard_.back()) &&
                               welcomes_) {
                             welcome();
                           }
                         },
                     .closed = [](const Error&) {}});
  }

  const spec::Spec& spec_;
  control::Key key_{};
  ::muster::testing::MemoryNetwork network_;
  ::muster::testing::MemoryTransport transport_{network_, "master"};
  ::muster::testing::MemoryTransport agent_transport_{network_, "agent"};
  bool welcomes_ = true;
  bool welcomed_ = false;
  std::unique_ptr<control::Listener> listener_;
  std::unique_ptr<control::Channel> channel_;
  std::vector<wire::AgentFrame> heard_;
};

}  // namespace muster::agent
