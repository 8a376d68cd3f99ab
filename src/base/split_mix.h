#pragma once

#include <cstdint>

namespace muster {

/// The distance between the states of SplitMix64 (Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", 2014), which makes numbers that look random. They are not for
/// secrets.
inline constexpr uint64_t kSplitMixStep = 0x9E3779B97F4A7C15ULL;

/// Spreads a number over all 64 bits; different numbers give different results.
[[nodiscard]] constexpr uint64_t mix_bits(uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
  return bits ^ (bits >> 31U);
}

/// Returns the next number, and moves `state` on.
[[nodiscard]] constexpr uint64_t next_bits(uint64_t& state) {
  state += kSplitMixStep;
  return mix_bits(state);
}

}  // namespace muster
