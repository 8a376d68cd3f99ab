#pragma once

#include <algorithm>
#include <string>

namespace muster {

/// Returns the letter in lower case if it is one of A to Z, else the byte as it is; independent of
/// the locale, and leaves bytes of longer UTF-8 characters alone.
[[nodiscard]] constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The same for each byte of a text.
[[nodiscard]] inline std::string ascii_lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return ascii_lower(c); });
  return text;
}

}  // namespace muster
