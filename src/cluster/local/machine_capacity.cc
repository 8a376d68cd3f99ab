#include "cluster/local/machine_capacity.h"

namespace muster::cluster::local {

os::Hardware this_machine() { return os::discover_hardware(); }

Capacity capacity_of(const os::Hardware& hardware, bool strict_vcores) {
  return {.memory_bytes = hardware.memory_bytes,
          .cores = hardware.cores,
          .gpus = static_cast<uint32_t>(hardware.gpus.size()),
          .strict_vcores = strict_vcores};
}

}  // namespace muster::cluster::local
