#pragma once

#include "base/result.h"
#include "base/time.h"
#include "job/ids.h"
#include "wire/frame_parts.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::control {

/// A 32-byte key of one party, derived from the job's secret (keys.h).
using Key = std::array<uint8_t, 32>;

/// Who is at the other end, as the handshake proved it.
struct Peer {
  enum class Kind : uint8_t {
    Agent,   ///< The agent of `container`.
    Owner,   ///< A client of the job's owner: may follow and stop.
    Viewer,  ///< May only look.
    Master,  ///< A master that dialled an agent.
    Stream,  ///< A client that dialled an agent, for one stream.
  };
  Kind kind = Kind::Viewer;
  job::ContainerId container;  ///< Of an Agent; of the dialled agent for a Master and a Stream.
  std::string ticket = {};     ///< Of a Stream: what its master gave it for this one stream.

  /// The TLS identity: "agent:c1", "owner", "viewer", "master:c1", "stream:c1:TICKET".
  [[nodiscard]] std::string identity() const;
  /// Parses an identity; nothing but these five forms, at most 256 bytes.
  static Result<Peer> parse(std::string_view identity);
  bool operator==(const Peer&) const = default;
};

/// One authenticated, ordered, reliable connection of whole frames. Lives on its loop's thread.
/// Destroying it is close() without a callback: what is queued is still sent while the loop runs.
class Channel {
 public:
  struct Handlers {
    /// A whole frame of at most kFrameMax bytes; the view is valid during the call only.
    std::function<void(std::string_view frame)> frame;
    /// The connection is gone, with the reason; comes once, never inside a call into the channel.
    std::function<void(const Error& reason)> closed;
  };

  virtual ~Channel() = default;
  /// Must be called once, in the callback that handed the channel over or in a later turn of the
  /// loop; frames wait until then.
  virtual void start(Handlers handlers) = 0;
  /// Queues a frame. Never blocks and never fails: on a dead connection it is dropped, and `closed`
  /// is called. The caller bounds what it queues by checking queued_bytes().
  virtual void send(std::string frame) = 0;
  /// Queues a frame that many channels share (a view for all agents) without a copy each.
  virtual void send_shared(std::shared_ptr<const std::string> frame) = 0;
  /// Queues a frame in two pieces, of which the second, which may be large, is not copied on the
  /// way.
  virtual void send_parts(wire::FrameParts frame) {
    send(std::move(frame.head) + std::move(frame.body));
  }
  /// Bytes queued and not yet taken by the kernel.
  [[nodiscard]] virtual size_t queued_bytes() const = 0;
  /// Delivers nothing more, sends what is queued (for at most a second), then closes; `closed` is
  /// called with Cancelled.
  virtual void close() = 0;
  [[nodiscard]] virtual const Peer& peer() const = 0;
  /// The other end's address, for people: "10.0.0.7"; empty where there is none.
  [[nodiscard]] virtual std::string address() const { return ""; }
};

/// The largest frame either side accepts.
inline constexpr size_t kFrameMax = 16U << 20;

/// Returns the key that proves an identity, or an error for one that has no business here (it is
/// logged once per cause; the peer is told nothing).
using KeyLookup = std::function<Result<Key>(const Peer& peer)>;

/// A listening port. Destroying it stops listening and drops unauthenticated connections; accepted
/// channels live on.
class Listener {
 public:
  virtual ~Listener() = default;
  /// "host:port" as others dial it.
  [[nodiscard]] virtual const std::string& address() const = 0;
};

/// Returns the address ("host:port") to which a connection that begins as this Stream is passed on,
/// unread; nothing for none.
using PassOn = std::function<std::optional<std::string>(const Peer& stream)>;

struct ListenOptions {
  std::string host = "127.0.0.1";  ///< The address to bind and to publish.
  uint16_t port_low = 0;           ///< 0: any free port; else the first free one of the range.
  uint16_t port_high = 0;
  PassOn pass_on = nullptr;
};

/// Makes authenticated channels. TlsTransport is the real one (TLS 1.3 with pre-shared keys); the
/// simulator has its own with lost, late and cut connections.
class Transport {
 public:
  using Accepted = std::function<void(std::unique_ptr<Channel> channel)>;
  using Dialled = std::function<void(Result<std::unique_ptr<Channel>> channel)>;

  virtual ~Transport() = default;
  /// Listens. At most 256 connections may be unauthenticated at a time, each for 5 s.
  virtual Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, KeyLookup keys,
                                                   Accepted accepted) = 0;
  /// Dials `address` as `self` with `key`; `dialled` is called exactly once, within `deadline`,
  /// unless this transport is destroyed before. The channel's peer is the party that must be at
  /// that address: for a Master and a Stream the Agent of its container, for all others a Master.
  virtual void dial(const std::string& address, const Peer& self, const Key& key, Duration deadline,
                    Dialled dialled) = 0;
};

}  // namespace muster::control
