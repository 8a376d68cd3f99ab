#pragma once

#include "base/crc32c.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

/// Writes event files as TensorFlow and PyTorch do.
namespace muster::scalars {

template <class T>
std::string raw(T value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

inline std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) {
    bytes += static_cast<char>(value | 0x80U);
  }
  return bytes + static_cast<char>(value);
}

inline std::string number_field(uint64_t field, uint64_t value) {
  return varint(field << 3U) + varint(value);
}

inline std::string bytes_field(uint64_t field, std::string_view bytes) {
  return varint(field << 3U | 2U) + varint(bytes.size()) + std::string(bytes);
}

inline std::string double_field(uint64_t field, double value) {
  return varint(field << 3U | 1U) + raw(value);
}

inline std::string float_field(uint64_t field, float value) {
  return varint(field << 3U | 5U) + raw(value);
}

inline std::string record(std::string_view bytes) {
  const std::string length = raw<uint64_t>(bytes.size());
  return length + raw(masked_crc32c(length)) + std::string(bytes) + raw(masked_crc32c(bytes));
}

/// Returns an event at `seconds` since 1970, for a step, with the bytes of its summary's values.
inline std::string event(double seconds, int64_t step, std::string_view value) {
  return double_field(1, seconds) +
         (step == 0 ? "" : number_field(2, static_cast<uint64_t>(step))) +
         bytes_field(5, bytes_field(1, value));
}

inline std::string simple_value(std::string_view tag, float value) {
  return bytes_field(1, tag) + float_field(2, value);
}

inline std::string tensor_value(std::string_view tag, std::string_view tensor,
                                std::string_view plugin = "scalars") {
  return bytes_field(1, tag) + bytes_field(8, tensor) +
         bytes_field(9, bytes_field(1, bytes_field(1, plugin)));
}

}  // namespace muster::scalars
