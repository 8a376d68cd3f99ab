#pragma once

#include "net/stream.h"
#include "rt/loop.h"
#include "rt/wait.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace muster::testing {

/// How a pair of streams behaves.
struct MemoryStreamOptions {
  /// One read returns at most this much: 1 shows whether readers put pieces together.
  size_t read_max = std::numeric_limits<size_t>::max();
  /// A writer waits while this much is unread.
  size_t buffer_max = std::numeric_limits<size_t>::max();
};

/// Both ends of one connection in memory, for any loop. `first` is at `first_name` and sees
/// `second_name` as its peer. Destroying an end ends the stream for the other: what was written
/// before can still be read, and writing breaks.
[[nodiscard]] std::pair<std::unique_ptr<net::Stream>, std::unique_ptr<net::Stream>> memory_streams(
    rt::Loop& loop, std::string first_name, std::string second_name,
    MemoryStreamOptions options = {});

/// A network in memory: servers by "host:port", and the dialer that finds them. Dialling an address
/// where nobody listens is refused.
class MemoryNet final : public net::Dialer {
 public:
  using Accept = std::function<void(std::unique_ptr<net::Stream> stream)>;

  explicit MemoryNet(rt::Loop& loop) : loop_(&loop), never_(loop) {}

  /// Listens until stop(). `accept` is called in a separate turn of the loop. Also moves an
  /// address.
  void listen(const net::HostPort& server, Accept accept);
  /// Refuses connections from now on; existing ones go on.
  void stop(const net::HostPort& server) { servers_.erase(net::to_string(server)); }
  /// Lets dials wait for ever, like a host that drops packets.
  void drop(const net::HostPort& server);
  /// Breaks every connection to `server`: both ends read the end of the stream and cannot write.
  void cut(const net::HostPort& server);
  /// Applies to connections made from now on.
  void set_options(MemoryStreamOptions options) { options_ = options; }
  /// Returns how often `server` was dialled.
  [[nodiscard]] int dials(const net::HostPort& server) const;

  [[nodiscard]] rt::Async<Result<std::unique_ptr<net::Stream>>> dial(net::HostPort server) override;

  struct Wire;

 private:
  rt::Loop* loop_;
  rt::Event never_;
  MemoryStreamOptions options_;
  std::map<std::string, Accept> servers_;
  std::map<std::string, int> dials_;
  std::multimap<std::string, std::weak_ptr<Wire>> wires_;
};

}  // namespace muster::testing
