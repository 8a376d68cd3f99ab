#pragma once

#include "base/result.h"
#include "framework/framework.h"
#include "framework/seat.h"

namespace muster::framework {

/// Adds the `variables` of the job and of the task's role, filled in from the view. Variables that
/// refer to something the view lacks, or that the user's `env` sets, are left out.
[[nodiscard]] Status add_view_variables(const Seat& seat, Variables& variables);

}  // namespace muster::framework
