#pragma once

#include "base/result.h"
#include "os/process/spawn.h"
#include "rt/fd.h"

namespace muster::os {

/// One standard stream of a child: its end, and the parent's if it is a pipe. Both are
/// close-on-exec.
struct StreamEnds {
  rt::Fd child;
  rt::Fd parent;
};

/// Makes a descriptor of this process a child's stream.
[[nodiscard]] Result<StreamEnds> copy_descriptor(int fd);
/// Opens what will be standard stream `number` (0, 1 or 2) of a child.
[[nodiscard]] Result<StreamEnds> open_child_stream(const Stdio& wish, int number);

}  // namespace muster::os
