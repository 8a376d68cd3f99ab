#pragma once

#include "client/session.h"

#include <string>
#include <vector>

namespace muster::client {

/// Prints the shells kept by a job's tasks; returns the exit status.
[[nodiscard]] int list_shells(Session& session, const std::string& job, const std::string& on,
                              const std::vector<std::string>& tasks, bool json);

}  // namespace muster::client
