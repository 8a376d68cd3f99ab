#pragma once

#include "metrics/series.h"
#include "os/host/gpu_readings.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace muster::agent {

/// Turns what the GPUs visible to one attempt do, look after look, into readings.
class TaskGpuMeter {
 public:
  struct Use {
    std::vector<metrics::Reading> readings;
    /// For each of several GPUs, by the host's index: "hw.gpu.utilization.3".
    std::vector<metrics::NamedReading> named;
  };
  /// Returns what they do together. Errors count from the first look on.
  [[nodiscard]] Use read(const std::vector<os::GpuReading>& gpus);

 private:
  [[nodiscard]] std::optional<uint64_t> new_errors(const std::vector<os::GpuReading>& gpus);

  std::map<uint32_t, uint64_t> errors_;  ///< By the GPU's index, as last seen.
  uint64_t errors_new_ = 0;
};

}  // namespace muster::agent
