#include "hadoop/rpc/encoding.h"

#include <cstddef>

namespace muster::hadoop::rpc {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int digit_value(char digit) {
  if (digit >= 'A' && digit <= 'F') {
    return digit - 'A' + 10;
  }
  const size_t at = kDigits.find(digit);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::string hex(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) {
    digits.push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
    digits.push_back(kDigits[static_cast<uint8_t>(byte) & 15]);
  }
  return digits;
}

std::optional<std::string> unhex(std::string_view digits) {
  if (digits.size() % 2 != 0) {
    return std::nullopt;
  }
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit_value(digits[i]);
    const int low = digit_value(digits[i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    bytes.push_back(static_cast<char>((high << 4) | low));
  }
  return bytes;
}

std::string base64(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = (group << 8) | (k < count ? static_cast<uint8_t>(bytes[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      text.push_back(k <= count ? kBase64[(group >> (18 - (6 * k))) & 63] : '=');
    }
  }
  return text;
}

void append_be32(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(value >> shift));
  }
}

uint32_t read_be32(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value = (value << 8) | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

bool equal_secrets(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) {
    return false;
  }
  unsigned difference = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    difference |= static_cast<uint8_t>(left[i]) ^ static_cast<uint8_t>(right[i]);
  }
  return difference == 0;
}

}  // namespace muster::hadoop::rpc
