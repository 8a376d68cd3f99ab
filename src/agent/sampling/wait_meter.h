#pragma once

#include "metrics/series.h"
#include "os/process/waits.h"

#include <cstdint>
#include <vector>

namespace muster::agent {

/// Turns what one attempt is waiting for at the moments of looks into readings.
class WaitMeter {
 public:
  /// Waiting for children counts only while they deliver something: a launcher, which waits for
  /// their end, is not held up by them.
  [[nodiscard]] std::vector<metrics::Reading> read(const os::Waits& waits);

 private:
  /// Returns whether a process waiting for its children is fed by them.
  [[nodiscard]] bool is_fed(const os::Waits& waits);

  uint64_t sleeps_ = 0;       ///< At the last look that saw it wait for its children.
  uint32_t looks_unfed_ = 0;  ///< Such looks since they last brought something.
  bool ever_fed_ = false;
};

}  // namespace muster::agent
