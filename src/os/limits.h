#pragma once

#include <cstdint>

namespace muster::os {

/// Raises this process's limit of open descriptors to what the host allows, for those that hold a
/// connection to each of thousands of agents. Returns the limit from before, which children that
/// run user programs should get back.
uint64_t raise_descriptor_limit();

}  // namespace muster::os
