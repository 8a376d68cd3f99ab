#pragma once

#include "base/time.h"

#include <cstdint>

namespace muster::agent {

/// What an attempt has done since its start, as far as that can be seen from outside.
struct LifeSigns {
  Duration cpu{};
  uint64_t output_bytes = 0;
  uint64_t moved_bytes = 0;  ///< Read and written by its processes, output included.
  uint64_t faults = 0;       ///< Memory pages touched for the first time.
  uint64_t told = 0;         ///< Values that it reported: steps, losses.
  uint64_t news = 0;         ///< New lines that it printed (OutputNews).
  bool gpu_busy = false;     ///< One of its GPUs computes at this moment.
};

}  // namespace muster::agent
