#pragma once

#include "sim/core/checker.h"

#include <memory>

namespace muster::sim {

/// Makes the checker of outcomes and first causes.
[[nodiscard]] std::unique_ptr<Checker> make_verdict_checker(const job::Plan& plan);

}  // namespace muster::sim
