#pragma once

#include "base/result.h"
#include "client/options.h"
#include "client/session.h"
#include "spec/spec.h"

#include <functional>
#include <string>

namespace muster::client {

/// Submits a job that nobody follows, reporting only what is wrong or doubtful; returns its id.
/// `may` is asked before anything is created.
[[nodiscard]] Result<std::string> submit_detached(Session& session, const SpecOptions& options,
                                                  std::function<Status(const spec::Spec&)> may);

}  // namespace muster::client
