#pragma once

#include "base/result.h"
#include "client/options.h"
#include "client/session.h"

#include <string>

namespace muster::client {

/// Submits a job that nobody follows, and says no more than what is wrong or doubtful; returns its
/// id.
[[nodiscard]] Result<std::string> submit_detached(Session& session, const SpecOptions& options);

}  // namespace muster::client
