#pragma once

#include "metrics/series.h"
#include "os/host/gpu_readings.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace muster::agent {

/// Turns what the GPUs that one attempt sees do, look after look, into readings.
class TaskGpuMeter {
 public:
  struct Use {
    std::vector<metrics::Reading> readings;
    /// Of each of several GPUs alone: "hw.gpu.utilization.3", by the host's index.
    std::vector<metrics::NamedReading> named;
  };
  /// What they do together. Their errors count from its first look on.
  [[nodiscard]] Use read(const std::vector<os::GpuReading>& gpus);

 private:
  [[nodiscard]] std::optional<uint64_t> new_errors(const std::vector<os::GpuReading>& gpus);

  std::map<uint32_t, uint64_t> errors_;  ///< By the GPU's index, when it was seen last.
  uint64_t errors_new_ = 0;
};

}  // namespace muster::agent
