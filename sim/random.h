#pragma once

#include "base/split_mix.h"
#include "base/time.h"

#include <cstddef>
#include <cstdint>

namespace muster::sim {

/// A small deterministic generator (SplitMix64): the same seed gives the same numbers on every
/// machine, which the distributions of the standard library do not promise.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() { return next_bits(state_); }
  /// Returns a number in 0..bound-1; 0 for a bound of 0.
  uint64_t below(uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
  /// Returns a number in low..high, both included.
  uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
  Duration between(Duration low, Duration high) {
    return low + Duration(static_cast<Duration::rep>(
                     below(static_cast<uint64_t>((high - low).count()) + 1)));
  }
  /// Returns true with probability `percent` / 100.
  bool chance(uint32_t percent) { return below(100) < percent; }
  /// Returns a separate generator, so that what one part draws does not shift the others' numbers.
  Random fork() { return Random(next()); }

 private:
  uint64_t state_;
};

}  // namespace muster::sim
