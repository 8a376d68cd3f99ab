#pragma once

#include "base/time.h"

#include <chrono>
#include <cstdint>

namespace muster::agent {

/// How much a sum over an attempt's processes may grow without counting as a sign of work.
struct Allowance {
  uint64_t at_once = 0;
  uint64_t per_second = 0;

  /// Returns whether the sum grew by more than that from `then` to `now`, in the time `since`. A
  /// fall by more than `at_once` counts as well: sums fall when a process that nobody waits for
  /// ends.
  [[nodiscard]] bool exceeded(uint64_t then, uint64_t now, Duration since) const {
    const auto seconds =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(since).count());
    return now < then ? then - now > at_once : now - then > at_once + seconds * per_second;
  }
};

/// Bytes that an idle program, or one that loops without progress, still reads and writes.
inline constexpr Allowance kIdleFileBytes = {.at_once = 64U << 10, .per_second = 1U << 10};

}  // namespace muster::agent
