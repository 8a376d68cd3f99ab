#pragma once

#include "agent/attempt/life_signs.h"
#include "agent/attempt/pause_clock.h"
#include "base/time.h"
#include "wire/frame.h"

#include <cstdint>

namespace muster::agent {

/// Measures how long a running attempt has shown no progress, whether or not it computes. A program
/// that reports values makes progress by reporting; one that reports nothing, by printing something
/// it has not printed before. File traffic and newly touched memory count for both, since
/// evaluations and checkpoints report nothing while they run. A value.
class ProgressWatch {
 public:
  /// Takes a measurement.
  [[nodiscard]] wire::Fruitless look(HostTime now, const LifeSigns& signs);

 private:
  [[nodiscard]] bool says(const LifeSigns& signs) const;
  [[nodiscard]] bool works(const LifeSigns& signs, Duration since) const;

  PauseClock clock_;
  LifeSigns then_;     ///< When progress was last seen.
  uint32_t said_ = 0;  ///< How often new output was seen.
};

}  // namespace muster::agent
