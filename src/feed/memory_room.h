#pragma once

#include <cstdint>

namespace muster::feed {

/// How many bytes of memory this process could take now without anybody being killed for it: what
/// the kernel calls available, and what its memory cgroup has left, whichever is less. An
/// estimate; UINT64_MAX where the kernel tells neither.
[[nodiscard]] uint64_t memory_room();

}  // namespace muster::feed
