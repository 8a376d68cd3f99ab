#include "os/host/interfaces.h"

#include "base/text.h"
#include "os/host/identity.h"
#include "os/host/ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace muster::os {
namespace {

/// Returns the address as text; "" if others cannot use it as it is.
std::string text_of(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text,
                sizeof text);
  } else if (address->sa_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    if (!IN6_IS_ADDR_LINKLOCAL(&v6)) {
      ::inet_ntop(AF_INET6, &v6, text, sizeof text);
    }
  }
  return text;
}

bool is_literal(std::string_view text) {
  in6_addr any{};
  const std::string name(text);
  return ::inet_pton(AF_INET, name.c_str(), &any) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &any) == 1;
}

std::string known_ones(const std::vector<InterfaceAddress>& addresses) {
  std::vector<std::string> names;
  names.reserve(addresses.size());
  for (const InterfaceAddress& one : addresses) {
    names.push_back(fmt::format("{} ({})", one.interface, one.address));
  }
  return names.empty() ? "none that is up" : join(names, ", ");
}

}  // namespace

std::vector<InterfaceAddress> interface_addresses() {
  ifaddrs* raw = nullptr;
  if (::getifaddrs(&raw) != 0) {
    return {};
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(raw, &::freeifaddrs);
  std::vector<InterfaceAddress> addresses;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* one = all.get(); one != nullptr; one = one->ifa_next) {
      const bool wanted = (one->ifa_flags & IFF_UP) != 0 && one->ifa_addr != nullptr &&
                          one->ifa_addr->sa_family == family;
      if (const std::string text = wanted ? text_of(one->ifa_addr) : ""; !text.empty()) {
        addresses.push_back({.interface = one->ifa_name, .address = text});
      }
    }
  }
  return addresses;
}

std::string interface_of_address(std::string_view address) {
  const std::vector<InterfaceAddress> addresses = interface_addresses();
  const auto found = std::ranges::find(addresses, address, &InterfaceAddress::address);
  return found == addresses.end() ? std::string() : found->interface;
}

Result<std::string> address_of_interface(std::string_view name) {
  // More addresses can be bound than are listed, namely all of 127.0.0.0/8.
  if (is_literal(name) && make_ports()->reserve(std::string(name))) {
    return std::string(name);
  }
  const std::vector<InterfaceAddress> addresses = interface_addresses();
  const auto found = std::ranges::find(addresses, name, &InterfaceAddress::interface);
  if (found != addresses.end()) {
    return found->address;
  }
  return user_error(
      fmt::format("network.interface: {} has no network interface or address `{}`; it has {}",
                  host_name(), printable(name), known_ones(addresses)));
}

}  // namespace muster::os
