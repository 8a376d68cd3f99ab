#pragma once

#include "sim/core/checker.h"

#include <memory>

namespace muster::sim {

/// Makes the checker of generations, their views and their barriers.
[[nodiscard]] std::unique_ptr<Checker> make_view_checker(const job::Plan& plan);

}  // namespace muster::sim
