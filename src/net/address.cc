#include "net/address.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <array>
#include <charconv>

namespace muster::net {

Result<HostPort> parse_host_port(std::string_view text) {
  const auto wrong = [&] {
    return user_error(fmt::format("\"{}\" is not an address of the form host:port", text));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return wrong();
  }
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    return wrong();
  }
  const std::string_view digits = text.substr(colon + 1);
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) {
    return wrong();
  }
  return HostPort{.host = std::string(host), .port = port};
}

std::string to_string(const HostPort& address) {
  const bool literal6 = address.host.find(':') != std::string::npos;
  return literal6 ? fmt::format("[{}]:{}", address.host, address.port)
                  : fmt::format("{}:{}", address.host, address.port);
}

// The port is at the same place in both families.
uint16_t SocketAddress::port() const {
  return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

void SocketAddress::set_port(uint16_t port) {
  reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port);
}

std::optional<SocketAddress> parse_literal(const std::string& host, uint16_t port) {
  SocketAddress address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    address.size = sizeof(sockaddr_in);
  } else if (::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    address.size = sizeof(sockaddr_in6);
  } else {
    return std::nullopt;
  }
  address.set_port(port);
  return address;
}

std::string literal_of(const SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = address.storage.ss_family;
  const auto* const bytes =
      family == AF_INET6 ? static_cast<const void*>(
                               &reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr)
                         : &reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr;
  ::inet_ntop(family, bytes, text.data(), text.size());
  return text.data();
}

}  // namespace muster::net
