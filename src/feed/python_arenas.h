#pragma once

#include <cstddef>

namespace muster::feed {

/// Has this process's Python keep up to `most` bytes of the memory that its small objects leave,
/// for the next ones. By itself it gives every arena (256 KiB or 1 MiB) back to the kernel as soon
/// as it is empty, and takes it again page by page: for lists of numbers that costs as much as
/// making them. For good; a second call changes nothing. Under the interpreter's lock.
void keep_arenas(size_t most);

}  // namespace muster::feed
