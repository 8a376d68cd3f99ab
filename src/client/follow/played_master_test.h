#pragma once

#include "control/keys.h"
#include "testing/memory_transport.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::client {

/// A master as a follower sees it: accepts the owner with one key, and records what arrives.
class PlayedMaster {
 public:
  PlayedMaster(testing::MemoryNetwork& network, std::string name, control::Secret secret)
      : transport_(network, std::move(name)) {
    auto listening = transport_.listen(
        {},
        [secret](const control::Peer& peer) -> Result<control::Key> {
          return control::derive_key(secret, peer);
        },
        [this](std::unique_ptr<control::Channel> channel) {
          ++connections_;
          channel_ = std::move(channel);
          channel_->start({.frame = [this](std::string_view frame) { got_.emplace_back(frame); },
                           .closed = [](const Error&) {}});
        });
    EXPECT_TRUE(listening.has_value());
    listener_ = std::move(*listening);
  }

  [[nodiscard]] const std::string& address() const { return listener_->address(); }
  [[nodiscard]] const std::vector<std::string>& got() const { return got_; }
  [[nodiscard]] int connections() const { return connections_; }
  void send(std::string frame) { channel_->send(std::move(frame)); }

 private:
  testing::MemoryTransport transport_;
  std::vector<std::string> got_;
  int connections_ = 0;
  std::unique_ptr<control::Listener> listener_;
  std::unique_ptr<control::Channel> channel_;
};

}  // namespace muster::client
