#include "testing/scenario_words.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace muster::testing {

Error wrong_word(std::string_view what, std::string_view word) {
  return user_error(fmt::format("'{}' is no {}", word, what));
}

Result<uint32_t> read_number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) {
    return wrong_word("number", text);
  }
  return value;
}

Result<Duration> read_duration(std::string_view text) {
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"ms", 1'000}, {"s", 1'000'000}, {"m", 60'000'000}, {"h", 3'600'000'000}};
  for (const auto& [unit, us] : kUnits) {
    if (text.ends_with(unit)) {
      MUSTER_TRY(const uint32_t count, read_number(text.substr(0, text.size() - unit.size())));
      return Duration(count * us);
    }
  }
  return wrong_word("duration", text);
}

std::string option_of(const std::vector<std::string>& words, std::string_view key) {
  for (const std::string& word : words) {
    if (word.starts_with(key) && word.size() > key.size() && word[key.size()] == '=') {
      return word.substr(key.size() + 1);
    }
  }
  return "";
}

std::string words_from(const std::vector<std::string>& words, size_t from) {
  std::string text;
  for (size_t i = from; i < words.size(); ++i) {
    text += (text.empty() ? "" : " ") + words[i];
  }
  return text;
}

}  // namespace muster::testing
