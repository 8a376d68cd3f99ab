#pragma once

#include "cluster/local/claims.h"
#include "os/host/hardware.h"

namespace muster::cluster::local {

/// Returns what this machine has; examined once, then cheap. Blocks the first time.
[[nodiscard]] os::Hardware this_machine();

[[nodiscard]] Capacity capacity_of(const os::Hardware& hardware, bool strict_vcores);

}  // namespace muster::cluster::local
