#pragma once

#include "sim/core/checker.h"

#include <memory>
#include <vector>

namespace muster::sim {

/// Checks whom the machine blames, and what it names in the end, against the world's true culprits.
void add_blame_checkers(const job::Plan& plan, std::vector<std::unique_ptr<Checker>>& checkers);

}  // namespace muster::sim
