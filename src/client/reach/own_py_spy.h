#pragma once

#include "client/session.h"

#include <string>

namespace muster::client {

/// The program py-spy of this machine, for tasks that have none: the one beside muster, else the
/// first on PATH; "" if there is none.
[[nodiscard]] std::string own_py_spy(const Session& session);

}  // namespace muster::client
