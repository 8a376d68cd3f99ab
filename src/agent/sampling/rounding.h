#pragma once

#include <cmath>
#include <cstdint>

namespace muster::agent {

/// Rounds to the three digits that samples have for a share.
inline double rounded_share(double share) { return std::round(share * 1e3) / 1e3; }

/// The kernel counts processor time in ticks of 10 ms: more digits would be noise.
inline double seconds_of(uint64_t microseconds) {
  return std::round(static_cast<double>(microseconds) / 1e4) / 1e2;
}

}  // namespace muster::agent
