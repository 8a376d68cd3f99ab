#pragma once

#include "control/transport.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "wire/stream.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace muster::client {

/// Connections to agents, each for one stream that a master has offered. An agent that cannot be
/// reached from here is not dialled again until forget_failures(). Lives on its loop's thread. Not
/// to be destroyed by one of its handlers.
class DirectChannels {
 public:
  struct Handlers {
    std::function<void(wire::StreamFrame frame)> frame;  ///< What the agent says.
    std::function<void(uint64_t id)> declined;           ///< The agent is out of reach.
  };

  DirectChannels(rt::Loop& loop, control::Transport& transport, Handlers handlers);
  ~DirectChannels();
  DirectChannels(const DirectChannels&) = delete;
  DirectChannels& operator=(const DirectChannels&) = delete;

  /// Dials, for the stream of that id.
  void take(uint64_t id, wire::StreamOffer offer);
  /// Whether the stream has a connection of its own. It lives until one end resets the stream; the
  /// agent does so when both have closed it and have got all.
  [[nodiscard]] bool has(uint64_t id) const { return channels_.contains(id); }
  void send(wire::StreamFrame frame);
  /// What is being dialled for comes too late. Connections stay.
  void stop_dialling() { ++dialling_since_; }
  void forget_failures() { out_of_reach_.clear(); }

 private:
  using Dialled = Result<std::unique_ptr<control::Channel>>;

  [[nodiscard]] rt::Async<> connect(uint64_t id, wire::StreamOffer offer);
  [[nodiscard]] rt::Async<Dialled> dial(wire::StreamOffer offer);
  void adopt(uint64_t id, std::unique_ptr<control::Channel> channel);
  void on_frame(uint64_t id, std::string_view bytes);
  void on_closed(uint64_t id);
  void close(uint64_t id);

  rt::Loop& loop_;
  control::Transport& transport_;
  Handlers handlers_;
  std::map<uint64_t, std::unique_ptr<control::Channel>> channels_;
  std::set<std::string> out_of_reach_;  ///< Addresses.
  uint64_t dialling_since_ = 0;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::client
