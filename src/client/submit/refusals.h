#pragma once

#include "eventlog/log_file.h"
#include "job/plan.h"

#include <string>
#include <vector>

namespace muster::client {

/// Returns what the cluster last refused to each role that it has given nothing since, in the
/// wording of `muster run` and `muster show` (narrate); in the roles' order.
[[nodiscard]] std::vector<std::string> standing_refusals(
    const job::Plan& plan, const std::vector<eventlog::Record>& records);

}  // namespace muster::client
