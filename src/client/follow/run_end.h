#pragma once

#include "client/session.h"
#include "client/submit/submission.h"
#include "job/machine.h"

#include <string_view>

namespace muster::client {

/// Prints the end of `muster run`: how the job came out, how it got there, where things are.
/// `machine`: as far as the job was followed; nullptr if it was not. `quiet`: prints only a
/// failure.
void print_end(Session& session, const Submitted& submitted, const job::Outcome& outcome,
               const job::Machine* machine, Duration submitted_in, bool quiet);

/// Returns the exit code of the role's task that decides: the last non-zero one; `otherwise` if the
/// job has no such role.
[[nodiscard]] int role_exit_code(const job::Machine& machine, std::string_view role_name,
                                 int otherwise);

}  // namespace muster::client
