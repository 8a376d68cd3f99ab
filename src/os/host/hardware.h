#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::os {

/// One GPU of this host.
struct Gpu {
  uint32_t index = 0;  ///< As CUDA_VISIBLE_DEVICES counts with CUDA_DEVICE_ORDER=PCI_BUS_ID.
  std::string uuid;    ///< "GPU-..."; empty if unknown.
  std::string model;
  uint64_t memory_bytes = 0;  ///< 0 if unknown.
  bool operator==(const Gpu&) const = default;
};

/// What this machine, or the container this process lives in, can offer.
struct Hardware {
  uint64_t memory_bytes = 0;  ///< The smallest of the machine's and the cgroups' limits.
  uint32_t cores = 1;         ///< Whole cores by affinity and cgroup quota, rounded up, at least 1.
  std::vector<Gpu> gpus;
};

/// Examines this machine. Blocks: asking nvidia-smi, if there is one, takes up to seconds.
[[nodiscard]] Hardware discover_hardware();

/// Returns Hardware::cores alone; quick.
[[nodiscard]] uint32_t usable_cores();

/// Returns the memory available now without swapping, by machine and cgroups.
[[nodiscard]] uint64_t available_memory_bytes();

/// Parses the output of `nvidia-smi --query-gpu=index,uuid,name,memory.total
/// --format=csv,noheader,nounits`.
[[nodiscard]] Result<std::vector<Gpu>> parse_nvidia_smi(std::string_view text);

/// Parses one /proc/driver/nvidia/gpus/*/information. The index is the caller's.
[[nodiscard]] Result<Gpu> parse_nvidia_information(std::string_view text);

}  // namespace muster::os
