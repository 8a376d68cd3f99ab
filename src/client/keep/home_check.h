#pragma once

#include "base/result.h"
#include "client/session.h"

namespace muster::client {

/// Checks that no other user can put programs, settings or secrets into MUSTER_HOME or read them
/// there. In a YARN container, whose folders the cluster makes, only the home itself is checked.
[[nodiscard]] Status check_home(const Session& session);

}  // namespace muster::client
