#pragma once

#include "os/host/gpu_readings.h"

#include <map>
#include <string>
#include <vector>

namespace muster::agent {

/// Returns whether a program with this environment could see a GPU if there were one.
[[nodiscard]] bool may_see_gpus(const std::map<std::string, std::string>& environment);

/// Returns those of the host's GPUs that a program with this environment sees: by
/// CUDA_VISIBLE_DEVICES; for AMD by ROCR_VISIBLE_DEVICES, then HIP_VISIBLE_DEVICES, else
/// CUDA_VISIBLE_DEVICES. Returns all of them if none is set. As in CUDA, a list ends before its
/// first entry that names no GPU.
[[nodiscard]] std::vector<os::GpuReading> visible_gpus(
    const std::map<std::string, std::string>& environment, const std::vector<os::GpuReading>& all);

}  // namespace muster::agent
