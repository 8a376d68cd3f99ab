#pragma once

#include "agent/attempt/life_signs.h"
#include "agent/attempt/pause_clock.h"
#include "base/time.h"
#include "wire/frame.h"

#include <cstdint>

namespace muster::agent {

/// Measures for how long a running attempt has shown no progress, whether or not it computes. What
/// it reports is its progress; of a program that reports nothing, what it prints that it has not
/// said before. Files that it moves and memory that is new to it count for both: an evaluation and
/// a checkpoint report nothing while they go on. A value.
class ProgressWatch {
 public:
  /// Takes a measurement.
  [[nodiscard]] wire::Fruitless look(HostTime now, const LifeSigns& signs);

 private:
  [[nodiscard]] bool says(const LifeSigns& signs) const;
  [[nodiscard]] bool works(const LifeSigns& signs, Duration since) const;

  PauseClock clock_;
  LifeSigns then_;     ///< When it was last seen to get on.
  uint32_t said_ = 0;  ///< How often it was seen to have said something.
};

}  // namespace muster::agent
