#pragma once

#include "base/time.h"
#include "wire/frame.h"

#include <cstdint>
#include <optional>

namespace muster::agent {

/// Measures for how long a running attempt has shown no progress, whether or not it computes. What
/// it reports is its progress; of a program that reports nothing, what it prints. Files that it
/// moves and memory that is new to it count for both: an evaluation and a checkpoint report nothing
/// while they go on. A value.
class ProgressWatch {
 public:
  /// What the attempt has done since its start.
  struct Signs {
    uint64_t told = 0;  ///< Values that it reported: steps, losses.
    uint64_t output_bytes = 0;
    uint64_t moved_bytes = 0;  ///< That its processes have read and written, output included.
    uint64_t faults = 0;       ///< Pages of memory that it touched for the first time.
  };

  /// Takes a measurement.
  [[nodiscard]] wire::Fruitless look(HostTime now, const Signs& signs);

 private:
  [[nodiscard]] bool says(const Signs& signs) const;
  [[nodiscard]] bool works(const Signs& signs, Duration since) const;

  std::optional<HostTime> since_;  ///< When it was last seen to get on.
  Signs then_;                     ///< What it had done by then.
  Duration longest_{};
  uint32_t said_ = 0;  ///< How often it was seen to have said something.
};

}  // namespace muster::agent
