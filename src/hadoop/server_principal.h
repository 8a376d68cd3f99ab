#pragma once

#include "base/result.h"
#include "hadoop/configuration.h"

#include <string>
#include <string_view>

namespace muster::hadoop {

/// The principal that a service must have, from a key such as "dfs.namenode.kerberos.principal";
/// where "KEY.pattern" is set, that glob. Empty: none is configured.
[[nodiscard]] Result<std::string> server_principal(const Configuration& configuration,
                                                   std::string_view key);

}  // namespace muster::hadoop
