#pragma once

#include "base/result.h"
#include "client/session.h"
#include "job/plan.h"
#include "spec/keys/keys.h"
#include "spec/spec.h"

#include <span>

namespace muster::client {

/// Refuses a way into tasks that this machine's site file forbids; the error names the rule and
/// where it stands.
[[nodiscard]] Status check_reach(const Session& session, spec::Reach way, const job::Plan& plan,
                                 std::span<const job::TaskId> tasks);

/// The same for all tasks of a job.
[[nodiscard]] Status check_reach(const Session& session, spec::Reach way, const spec::Spec& spec);

}  // namespace muster::client
