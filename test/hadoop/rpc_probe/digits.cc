#include "probe.h"

#include <charconv>

namespace muster::probe {

std::string bytes_of(const json::object& from, std::string_view key) {
  const std::string digits = text_of(from, key, "");
  std::string bytes;
  for (size_t at = 0; at + 1 < digits.size(); at += 2) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + at, digits.data() + at + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

std::string digits_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char byte : bytes) {
    digits.push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
    digits.push_back(kDigits[static_cast<uint8_t>(byte) & 15]);
  }
  return digits;
}

}  // namespace muster::probe
