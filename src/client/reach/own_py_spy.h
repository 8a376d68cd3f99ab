#pragma once

#include "client/session.h"

#include <string>

namespace muster::client {

/// Returns this machine's py-spy program, for tasks that have none: the one beside muster, else the
/// first on PATH; "" if there is none.
[[nodiscard]] std::string own_py_spy(const Session& session);

}  // namespace muster::client
