#pragma once

#include "rt/async.h"
#include "rt/io_loop.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// The name that a client says first of those it has a key for: of a whole record with a TLS 1.3
/// ClientHello (RFC 8446, 4.1.2 and 4.2.11), header included. Nothing where it names none, or is
/// not of that form. A view into `record`.
[[nodiscard]] std::optional<std::string_view> psk_identity_of(std::string_view record);
/// The same of what waits to be read, of which it takes nothing; of at most `size_max` bytes.
[[nodiscard]] std::optional<std::string> peek_psk_identity(int fd, size_t size_max);

}  // namespace muster::net
