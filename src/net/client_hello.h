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
  Whole,    ///< It can be read in one go.
  Broken,   ///< The connection ended first.
  TooLong,  ///< Its stated length exceeds the maximum.
};

/// Waits until the first TLS record of a connection has arrived whole, without consuming any of it:
/// until then a peer costs a socket and no memory. The kernel wakes us only for the whole record,
/// however slowly it arrives. The record has at most `size_max` bytes, including its header.
[[nodiscard]] rt::Async<Hello> await_client_hello(rt::IoLoop* loop, int fd, size_t size_max);

/// Returns the first pre-shared-key identity that a client names, from a whole record with a TLS
/// 1.3 ClientHello (RFC 8446, 4.1.2 and 4.2.11), header included. Nothing if it names none or does
/// not have that form. A view into `record`.
[[nodiscard]] std::optional<std::string_view> psk_identity_of(std::string_view record);
/// The same for data waiting to be read, which is not consumed; looks at most at `size_max` bytes.
[[nodiscard]] std::optional<std::string> peek_psk_identity(int fd, size_t size_max);

}  // namespace muster::net
