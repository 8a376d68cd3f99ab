#pragma once

#include "os/hardware.h"

#include <vector>

namespace muster::os {

/// Lists the GPUs of this host: by nvidia-smi where the driver is loaded, else by
/// /proc/driver/nvidia. Empty without a driver. Blocks.
[[nodiscard]] std::vector<Gpu> discover_gpus();

}  // namespace muster::os
