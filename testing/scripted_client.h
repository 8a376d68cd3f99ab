#pragma once

#include "control/keys.h"
#include "control/transport.h"
#include "testing/memory_transport.h"
#include "wire/frame.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::testing {

/// A client that says hello as told and keeps every event it gets.
class ScriptedClient {
 public:
  ScriptedClient(MemoryNetwork& network, const std::string& name, const std::string& address,
                 const control::Secret& secret, control::Peer::Kind kind,
                 const wire::ClientHello& hello);

  void send(const wire::ClientFrame& frame) {
    if (channel_) {
      channel_->send(wire::encode(frame));
    }
  }
  void leave() { channel_.reset(); }

  [[nodiscard]] const std::vector<wire::ClientEvent>& events() const { return events_; }
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] bool connected() const { return channel_ != nullptr && !closed_; }
  template <class Kind>
  [[nodiscard]] std::vector<Kind> got() const {
    std::vector<Kind> found;
    for (const wire::ClientEvent& event : events_) {
      if (const auto* kind = std::get_if<Kind>(&event)) {
        found.push_back(*kind);
      }
    }
    return found;
  }

 private:
  MemoryTransport transport_;
  std::unique_ptr<control::Channel> channel_;
  std::vector<wire::ClientEvent> events_;
  bool closed_ = false;
};

}  // namespace muster::testing
