#pragma once

#include "base/result.h"
#include "net/address.h"
#include "rt/fd.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::inside {

/// Blocking reads and writes of a connected socket, each with the socket's own time-outs.

/// The longest line that either side writes.
inline constexpr size_t kLineMax = 256;

/// Connects to another task of the job, which may begin to listen only after this call has begun.
/// The address is an IP address. Reads and writes may take half a minute.
[[nodiscard]] Result<rt::Fd> connect_to(const net::HostPort& where);
/// Sets how long each of them may take.
void set_patience(int socket, int seconds);
/// Writes all of it. Unavailable if the connection broke or nothing moved for too long.
[[nodiscard]] Status write_all(int socket, std::string_view text);
/// Reads up to a line feed, which is not returned. Corrupt for a longer line.
[[nodiscard]] Result<std::string> read_line(int socket, size_t size_max);
/// Reads exactly so many bytes.
[[nodiscard]] Result<std::string> read_bytes(int socket, size_t size);

}  // namespace muster::inside
