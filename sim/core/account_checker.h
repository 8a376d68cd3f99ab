#pragma once

#include "sim/core/checker.h"

#include <memory>

namespace muster::sim {

/// Checks the account of the run, while it lasts and at its end: each container's spans cover its
/// time without gap or overlap, and the classes add up to what an independent count of the
/// containers says was granted. `plan` outlives it.
[[nodiscard]] std::unique_ptr<Checker> make_account_checker(const job::Plan& plan);

}  // namespace muster::sim
