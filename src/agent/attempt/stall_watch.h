#pragma once

#include "base/time.h"

#include <cstdint>
#include <optional>

namespace muster::agent {

/// Tells when a running attempt has stalled: for kStalledAfter it wrote nothing and computed next
/// to nothing. Only a sign for people: one who waits for a peer and one who has nothing to do look
/// the same from here.
class StallWatch {
 public:
  /// Takes a measurement: processor time and output since the attempt's start. Returns for how long
  /// it has been silent, once each time that it stalls.
  [[nodiscard]] std::optional<Duration> look(HostTime now, Duration cpu, uint64_t output_bytes);

  static constexpr Duration kStalledAfter = std::chrono::minutes(10);

 private:
  std::optional<HostTime> since_;  ///< When it was last seen to do something.
  Duration cpu_{};
  uint64_t output_bytes_ = 0;
  bool told_ = false;
};

}  // namespace muster::agent
