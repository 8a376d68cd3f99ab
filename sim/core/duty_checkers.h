#pragma once

#include "sim/core/checker.h"

#include <memory>
#include <vector>

namespace muster::sim {

/// What the machine owes at once to a single fact: each is a promise that the log alone shows.
void add_duty_checkers(const job::Plan& plan, std::vector<std::unique_ptr<Checker>>& checkers);

}  // namespace muster::sim
