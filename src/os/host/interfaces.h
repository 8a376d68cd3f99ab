#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::os {

/// One address of one network interface that is up.
struct InterfaceAddress {
  std::string interface;  ///< "eth0"
  std::string address;    ///< "10.0.0.4", "fd00::4"; no link-local ones.
};

/// Lists this host's addresses, IPv4 before IPv6.
[[nodiscard]] std::vector<InterfaceAddress> interface_addresses();

/// Returns the name of the interface that has this numeric address; "" if none has.
[[nodiscard]] std::string interface_of_address(std::string_view address);

/// Returns the numeric address of a network interface, given by its name or by an address of this
/// host, which is returned as it is. The error names the interfaces that exist.
[[nodiscard]] Result<std::string> address_of_interface(std::string_view name);

}  // namespace muster::os
