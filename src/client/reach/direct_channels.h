#pragma once

#include "control/transport.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "wire/stream.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace muster::client {

/// Connections to agents, each for one stream that a master has offered: straight to the agent or,
/// if that cannot be reached from here, through the master, which relays what it cannot read. A
/// route that failed is not tried again for half a minute, or until forget_failures(). Lives on its
/// loop's thread. Its handlers must not destroy it.
class DirectChannels {
 public:
  struct Handlers {
    std::function<void(wire::StreamFrame frame)> frame;  ///< What the agent says.
    std::function<void(uint64_t id)> declined;           ///< There is no route to the agent.
  };

  /// `by_master`: never dial an agent's own port.
  DirectChannels(rt::Loop& loop, control::Transport& transport, bool by_master, Handlers handlers);
  ~DirectChannels();
  DirectChannels(const DirectChannels&) = delete;
  DirectChannels& operator=(const DirectChannels&) = delete;

  /// Dials for the stream with that id, which the master at this address has offered.
  void take(uint64_t id, wire::StreamOffer offer, std::string master);
  /// Returns whether the stream has a connection of its own. It lives until one end resets the
  /// stream; the agent does so when both have closed it and have received everything.
  [[nodiscard]] bool has(uint64_t id) const { return channels_.contains(id); }
  void send(wire::StreamFrame frame);
  /// Results of pending dials are ignored from now on. Connections stay.
  void stop_dialling() { ++dialling_since_; }
  void forget_failures() { out_of_reach_.clear(); }

 private:
  using Dialled = Result<std::unique_ptr<control::Channel>>;

  [[nodiscard]] rt::Async<> connect(uint64_t id, wire::StreamOffer offer, std::string master);
  [[nodiscard]] rt::Async<Dialled> dial(std::string address, wire::StreamOffer offer);
  void adopt(uint64_t id, std::unique_ptr<control::Channel> channel);
  void on_frame(uint64_t id, std::string_view bytes);
  void on_closed(uint64_t id);
  void close(uint64_t id);

  rt::Loop& loop_;
  control::Transport& transport_;
  bool by_master_;
  Handlers handlers_;
  std::map<uint64_t, std::unique_ptr<control::Channel>> channels_;
  /// What was dialled, and for which agent: when it may be tried again.
  std::map<std::pair<std::string, std::string>, HostTime> out_of_reach_;
  uint64_t dialling_since_ = 0;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::client
