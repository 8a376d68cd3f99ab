#pragma once

#include <cstdint>

namespace muster::feed {

/// Returns how many bytes of memory this process could take now without any process being killed
/// for it: what the kernel calls available, or what its memory cgroup has left, whichever is less.
/// An estimate; UINT64_MAX if the kernel reports neither.
[[nodiscard]] uint64_t memory_room();

}  // namespace muster::feed
