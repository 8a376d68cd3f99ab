#include "testing/scripted_client.h"

#include "base/check.h"

#include <utility>

namespace muster::testing {

ScriptedClient::ScriptedClient(MemoryNetwork& network, const std::string& name,
                               const std::string& address, const control::Secret& secret,
                               control::Peer::Kind kind, const wire::ClientHello& hello)
    : transport_(network, name) {
  const control::Peer self{kind, {}};
  transport_.dial(address, self, control::derive_key(secret, self), std::chrono::seconds(5),
                  [this, hello](Result<std::unique_ptr<control::Channel>> channel) {
                    if (!channel) {
                      closed_ = true;
                      return;
                    }
                    channel_ = std::move(*channel);
                    channel_->start({.frame =
                                         [this](std::string_view bytes) {
                                           auto event = wire::decode_client_event(bytes);
                                           MUSTER_CHECK(event.has_value(),
                                                        "the master's events can be read");
                                           events_.push_back(std::move(*event));
                                         },
                                     .closed = [this](const Error&) { closed_ = true; }});
                    channel_->send(wire::encode(wire::ClientFrame(hello)));
                  });
}

}  // namespace muster::testing
