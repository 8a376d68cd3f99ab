#include "base/redaction.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace muster {

std::string redact(std::string_view text, const std::map<std::string, std::string>& secrets) {
  std::vector<std::string_view> values;
  for (const auto& [path, value] : secrets) {
    const std::string_view trimmed = trim(value);
    if (trimmed.size() >= kRedactedBytesMin) {
      values.push_back(trimmed);
    }
  }
  // The longest first: nothing of a secret that contains another must remain.
  std::ranges::sort(values, std::ranges::greater{}, &std::string_view::size);
  std::string redacted(text);
  for (const std::string_view value : values) {
    constexpr std::string_view kStars = "***";
    for (size_t at = redacted.find(value); at != std::string::npos;
         at = redacted.find(value, at + kStars.size())) {
      redacted.replace(at, value.size(), kStars);
    }
  }
  return redacted;
}

bool sounds_secret(std::string_view name) {
  std::string upper = fmt::format("_{}_", name);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  // A word of its own, or a part of one: TOKENIZERS_PARALLELISM is not a secret.
  constexpr std::array kWords = {"TOKEN_",     "SECRET",  "PASSWORD", "PASSWD",     "PASSPHRASE",
                                 "CREDENTIAL", "API_KEY", "APIKEY",   "ACCESS_KEY", "PRIVATE_KEY"};
  return std::ranges::any_of(
      kWords, [&](const char* word) { return upper.find(word) != std::string::npos; });
}

}  // namespace muster
