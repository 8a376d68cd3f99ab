#pragma once

#include "os/host/hardware.h"

#include <optional>
#include <vector>

namespace muster::os {

/// Lists the GPUs of this host: by nvidia-smi if there is one, else by /proc/driver/nvidia. Empty
/// without both. Blocks for up to 20 s if nvidia-smi does.
[[nodiscard]] std::vector<Gpu> discover_gpus();

/// Lists what nvidia-smi reports, even if this process can see no loaded driver; nothing if there
/// is no such program or it fails. Blocks for up to 20 s.
[[nodiscard]] std::optional<std::vector<Gpu>> ask_nvidia_smi();

}  // namespace muster::os
