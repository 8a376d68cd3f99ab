#pragma once

#include "agent/sampling/rising_sum.h"
#include "base/time.h"
#include "metrics/series.h"
#include "os/host/memory.h"
#include "os/host/throttling.h"

#include <optional>
#include <vector>

namespace muster::agent {

/// Turns what holds one attempt back, look after look, into readings: the limits of its control
/// groups, its priority, and the time stolen by other virtual machines. Pure: the times are the
/// caller's.
class HindranceMeter {
 public:
  /// Shares are of the time since the last look. Counters that restart, as after a change of
  /// control group, are counted from there. `collector_time`: nullopt if it was not measured.
  [[nodiscard]] std::vector<metrics::Reading> read(HostTime now, const os::Footprint& print,
                                                   const os::Throttling& throttling,
                                                   const std::optional<Duration>& collector_time);

 private:
  std::optional<os::Throttling> throttling_;  ///< At the last look.
  HostTime throttling_at_{};                  ///< When that look was.
  RisingSum over_memory_high_;
  RisingSum collector_us_;
};

}  // namespace muster::agent
