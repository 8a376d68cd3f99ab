#pragma once

#include "client/session.h"
#include "client/submit/submission.h"
#include "job/machine.h"

#include <string_view>

namespace muster::client {

/// Prints what stands at the end of `muster run`: how it came out, the way to it, where things are.
/// `machine`: as far as the job was followed; nullptr if it was not. `quiet`: only a failure.
void print_end(Session& session, const Submitted& submitted, const job::Outcome& outcome,
               const job::Machine* machine, Duration submitted_in, bool quiet);

/// Returns the exit code of a role's task that decided: the last non-zero one; `otherwise` where
/// the job has no such role.
[[nodiscard]] int role_exit_code(const job::Machine& machine, std::string_view role_name,
                                 int otherwise);

}  // namespace muster::client
