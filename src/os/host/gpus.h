#pragma once

#include "os/host/hardware.h"

#include <optional>
#include <vector>

namespace muster::os {

/// Lists the GPUs of this host: by nvidia-smi where there is one, else by /proc/driver/nvidia.
/// Empty without both. Blocks for up to 20 s, where nvidia-smi does.
[[nodiscard]] std::vector<Gpu> discover_gpus();

/// Lists what nvidia-smi tells, also where no driver is loaded that this process can see; nothing
/// if there is no such program or it fails. Blocks for up to 20 s.
[[nodiscard]] std::optional<std::vector<Gpu>> ask_nvidia_smi();

}  // namespace muster::os
