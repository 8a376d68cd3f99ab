#include "base/jitter.h"

namespace muster {
namespace {

/// SplitMix64 (Steele, Lea and Flood 2014).
uint64_t next_bits(uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  uint64_t bits = state;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
  return bits ^ (bits >> 31U);
}

}  // namespace

Duration Jitter::around(Duration mean, Duration most) {
  const auto span = static_cast<uint64_t>(2 * most.count() + 1);
  return mean - most + Duration(static_cast<int64_t>(next_bits(state_) % span));
}

}  // namespace muster
