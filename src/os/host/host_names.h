#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::os {

/// Where the names of a machine are written down.
struct NameFiles {
  std::string_view hosts;  ///< What /etc/hosts holds.
  std::string_view resolv_conf;
};

/// Returns the names by which a machine called `own` can be reached, in lower case: its name with
/// and without a domain, in each domain of the resolver's search list, and all names that stand
/// beside one of these in the hosts file.
[[nodiscard]] std::vector<std::string> host_names(std::string_view own, const NameFiles& files);

/// The same for this machine. Asks no name service.
[[nodiscard]] std::vector<std::string> host_names();

}  // namespace muster::os
