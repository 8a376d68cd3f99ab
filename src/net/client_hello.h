#pragma once

#include "rt/async.h"
#include "rt/io_loop.h"

#include <cstddef>
#include <cstdint>

namespace muster::net {

/// The first byte of every TLS handshake.
constexpr char kTlsHandshake = 0x16;

/// What became of a client's first TLS record.
enum class Hello : uint8_t {
  Whole,    ///< It can be read, at one go.
  Broken,   ///< The connection ended before.
  TooLong,  ///< It says that it is longer than it may be.
};

/// Waits until the first TLS record of a connection has come whole, and takes nothing of it: until
/// then a peer costs a socket and no memory. The kernel wakes us for the whole record only, however
/// slowly it comes. The record has at most `size_max` bytes, its header included.
[[nodiscard]] rt::Async<Hello> await_client_hello(rt::IoLoop* loop, int fd, size_t size_max);

}  // namespace muster::net
