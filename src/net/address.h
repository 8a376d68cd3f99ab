#pragma once

#include "base/result.h"

#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace muster::net {

/// The two parts of "host:port". IPv6 literals stand in brackets: "[::1]:80".
struct HostPort {
  std::string host;
  uint16_t port = 0;
  bool operator==(const HostPort&) const = default;
};

/// Parses "host:port"; the port is in 1..65535.
[[nodiscard]] Result<HostPort> parse_host_port(std::string_view text);
[[nodiscard]] std::string to_string(const HostPort& address);

/// An address in the kernel's form.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] uint16_t port() const;
  void set_port(uint16_t port);
};

/// Parses a literal IPv4 or IPv6 address; nothing if `host` is a name.
[[nodiscard]] std::optional<SocketAddress> parse_literal(const std::string& host, uint16_t port);
/// The inverse: the address without the port, in numeric form.
[[nodiscard]] std::string literal_of(const SocketAddress& address);

}  // namespace muster::net
