#pragma once

#include "base/log.h"
#include "base/result.h"
#include "control/transport.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

/// Streams whose clients dial this agent themselves, instead of having each byte relayed. The
/// master announces each stream with a ticket. Whoever then proves possession of the key minted for
/// that ticket gets the stream: once, and within kTicketLife by this host's clock. Everything else
/// said on such a connection belongs to that stream. The last frame is a reset from this end, upon
/// which the client closes; by then each end has received all that the other had to say. Lives on
/// the loop's thread.
class DirectStreams {
 public:
  struct Handlers {
    std::function<void(wire::StreamFrame frame)> to_master;
    /// A frame for a session: its client has come, says something, or is gone.
    std::function<void(wire::StreamFrame frame)> to_sessions;
  };

  /// How long a ticket is good for.
  static constexpr Duration kTicketLife = std::chrono::seconds(30);
  /// How long a client has to fetch the rest and to close.
  static constexpr Duration kFarewellMax = std::chrono::minutes(1);

  DirectStreams(rt::Loop& loop, const log::Logger& log, Handlers handlers);
  ~DirectStreams();
  DirectStreams(const DirectStreams&) = delete;
  DirectStreams& operator=(const DirectStreams&) = delete;

  /// The key of this agent, from which the keys of tickets are derived. Until it is set, no one is
  /// let in.
  void use_key(const control::Key& agent_key) { agent_key_ = agent_key; }

  /// Returns whether the streams of this id come over connections of their own.
  [[nodiscard]] static bool owns(uint64_t id) { return (id & kDirect) != 0; }

  /// The master has announced a stream, for which a client with its ticket is to come.
  void expect(uint64_t id, wire::StreamOpen request);
  /// The client would rather have it relayed, or no longer wants it: no one will come. Returns what
  /// was announced, if it was and no one has come yet.
  [[nodiscard]] std::optional<wire::StreamOpen> withdraw(uint64_t id);
  /// The master that announced them is gone: no one comes any more. Streams already here stay.
  void withdraw_all();

  /// Returns the key for a peer that wants in; Unauthenticated for all others.
  [[nodiscard]] Result<control::Key> key_of(const control::Peer& peer) const;
  void accept(std::unique_ptr<control::Channel> channel);
  /// Sends on what a session says.
  void send(wire::StreamFrame frame);
  /// The session is over: the client is told so after everything sent before.
  void end(uint64_t id);

 private:
  static constexpr uint64_t kDirect = uint64_t{1} << 63;

  struct Expected {
    uint64_t id = 0;  ///< The master's id for it.
    wire::StreamOpen request;
    rt::TimerId expiry;
  };
  using Tickets = std::map<std::string, Expected>;

  struct Line {
    std::unique_ptr<control::Channel> channel;
    bool over = false;     ///< The reset has been sent.
    rt::TimerId farewell;  ///< Since then.
  };

  void on_frame(uint64_t id, std::string_view bytes);
  void on_closed(uint64_t id);
  void forget(Tickets::iterator expected);
  void close(uint64_t id);

  rt::Loop& loop_;
  log::Logger log_;
  Handlers handlers_;
  std::optional<control::Key> agent_key_;
  Tickets expected_;
  uint64_t last_id_ = kDirect;
  std::map<uint64_t, Line> lines_;
};

}  // namespace muster::agent
