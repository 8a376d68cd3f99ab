#pragma once

#include "sim/core/checker.h"

#include <memory>
#include <vector>

namespace muster::sim {

/// What the machine owes at once in response to a single fact: the log alone shows whether it kept
/// each of these promises.
void add_duty_checkers(const job::Plan& plan, std::vector<std::unique_ptr<Checker>>& checkers);

}  // namespace muster::sim
