#pragma once

#include "base/result.h"
#include "base/time.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// Reading the words of a scenario.
namespace muster::testing {

/// Returns an error such as "'x' is no request (r1)".
[[nodiscard]] Error wrong_word(std::string_view what, std::string_view word);
[[nodiscard]] Result<uint32_t> read_number(std::string_view text);
/// Parses "250ms", "10s", "5m", "1h".
[[nodiscard]] Result<Duration> read_duration(std::string_view text);
/// Returns the value after "key=" among `words`, or "".
[[nodiscard]] std::string option_of(const std::vector<std::string>& words, std::string_view key);
/// Returns the words from `from` on, joined by blanks.
[[nodiscard]] std::string words_from(const std::vector<std::string>& words, size_t from);

/// Returns the value among `all` whose name is `word`, with '-' for '_'.
template <class E>
[[nodiscard]] Result<E> read_enum(std::string_view word, std::initializer_list<E> all) {
  for (const E value : all) {
    std::string name(to_string(value));
    std::ranges::replace(name, '_', '-');
    if (name == word) {
      return value;
    }
  }
  return wrong_word("value known here", word);
}

}  // namespace muster::testing
