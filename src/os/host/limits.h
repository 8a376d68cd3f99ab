#pragma once

#include <cstdint>

namespace muster::os {

/// Raises this process's limit of open descriptors to what the host allows, for those that hold a
/// connection to each of thousands of agents. Returns the limit from before, which children that
/// run user programs should get back.
uint64_t raise_descriptor_limit();

/// Keeps other processes of the same user out of this one: none may read its memory, its
/// environment or its open descriptors, nor attach a debugger; it leaves no core file. Root may. A
/// program that it starts is as open as ever.
void hide_from_own_user();

}  // namespace muster::os
