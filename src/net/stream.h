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
/// Destroying a pending read loses nothing; destroying a pending write may leave part of it sent,
/// after which the stream is good only for reading. Deadlines: rt::with_deadline. Implemented by
/// TCP (below) and testing::MemoryStream.
class Stream {
 public:
  virtual ~Stream() = default;

  /// Reads what is available, at least one byte; 0 only at the end of the stream. Unavailable if
  /// the connection broke.
  [[nodiscard]] virtual rt::Async<Result<size_t>> read_some(std::span<uint8_t> buffer) = 0;
  /// Writes all of `parts`, in order. Unavailable if the connection broke.
  [[nodiscard]] virtual rt::Async<Status> write_parts(
      std::span<const std::span<const uint8_t>> parts) = 0;
  /// Tells the peer that nothing more will be written.
  virtual void close_write() = 0;
  /// "10.0.0.7:8020": the numeric address of the other end.
  [[nodiscard]] virtual const std::string& peer() const = 0;

  [[nodiscard]] rt::Async<Status> write(std::span<const uint8_t> bytes);
  /// Fills `buffer`. Corrupt, saying how much came, if the stream ends before that.
  [[nodiscard]] rt::Async<Status> read_exactly(std::span<uint8_t> buffer);
};

/// Makes streams to servers.
class Dialer {
 public:
  virtual ~Dialer() = default;
  /// Resolves the host and connects, trying its addresses in turn. NotFound for an unknown name,
  /// Unavailable if no address accepts; the message names host and port. Destroying the coroutine
  /// abandons the attempt.
  [[nodiscard]] virtual rt::Async<Result<std::unique_ptr<Stream>>> dial(HostPort server) = 0;
};

}  // namespace muster::net
