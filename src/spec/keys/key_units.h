#pragma once

#include <cstdint>

/// Units of the bounds in the tables of keys: sizes in bytes, durations in microseconds.
namespace muster::spec {

inline constexpr int64_t kMebibyte = 1 << 20;
inline constexpr int64_t kMillisecond = 1000;
inline constexpr int64_t kSecond = 1000 * kMillisecond;

}  // namespace muster::spec
