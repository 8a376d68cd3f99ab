#pragma once

#include "base/result.h"
#include "net/address.h"
#include "rt/async.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace muster::net {

/// A two-way stream of bytes for coroutines. One read and one write may be under way at a time.
/// Destroying a pending read loses nothing; destroying a pending write may leave a piece of it
/// sent: the stream is good for reading only then. Deadlines: rt::with_deadline. Implemented by TCP
/// (below) and testing::MemoryStream.
class Stream {
 public:
  virtual ~Stream() = default;

  /// Reads what is there, at least one byte; 0 only at the end of the stream. Unavailable when the
  /// connection broke.
  [[nodiscard]] virtual rt::Async<Result<size_t>> read_some(std::span<uint8_t> buffer) = 0;
  /// Writes all of `parts`, in order. Unavailable when the connection broke.
  [[nodiscard]] virtual rt::Async<Status> write_parts(
      std::span<const std::span<const uint8_t>> parts) = 0;
  /// Tells the peer that nothing more will be written.
  virtual void close_write() = 0;
  /// "10.0.0.7:8020": who is at the other end, numerically.
  [[nodiscard]] virtual const std::string& peer() const = 0;

  [[nodiscard]] rt::Async<Status> write(std::span<const uint8_t> bytes);
  /// Fills `buffer`. Corrupt, naming how much came, when the stream ends before.
  [[nodiscard]] rt::Async<Status> read_exactly(std::span<uint8_t> buffer);
};

/// Makes streams to servers.
class Dialer {
 public:
  virtual ~Dialer() = default;
  /// Resolves the host and connects, trying its addresses in turn. NotFound for an unknown name,
  /// Unavailable when no address accepts; the message names host and port. Destroying the coroutine
  /// gives up.
  [[nodiscard]] virtual rt::Async<Result<std::unique_ptr<Stream>>> dial(HostPort server) = 0;
};

}  // namespace muster::net
