#include "base/redaction.h"

#include "base/text.h"

#include <algorithm>
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
  // The longest first: of one that contains another nothing must remain.
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

}  // namespace muster
