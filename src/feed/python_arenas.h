#pragma once

#include <cstddef>

namespace muster::feed {

/// Makes this process's Python keep up to `most` bytes of the memory freed by its small objects for
/// later ones. Otherwise Python gives every arena (256 KiB or 1 MiB) back to the kernel as soon as
/// it is empty, and gets it again page by page, which for lists of numbers costs as much as making
/// them. Permanent; a second call changes nothing. Requires the interpreter's lock.
void keep_arenas(size_t most);

}  // namespace muster::feed
