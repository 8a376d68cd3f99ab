#pragma once

#include <map>
#include <string>

namespace muster::os {

/// Returns the name of this process's user: HADOOP_USER_NAME, USER, what `id -un` says, else the
/// number of the user id (a user missing from the password file works). Asks no name service in
/// this process. May block for a moment.
[[nodiscard]] std::string user_name(const std::map<std::string, std::string>& environment);

/// Returns this host's name as the kernel knows it; "localhost" if that is empty.
[[nodiscard]] std::string host_name();

}  // namespace muster::os
