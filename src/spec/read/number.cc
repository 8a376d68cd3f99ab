#include "spec/read/number.h"

#include "base/ascii.h"

#include <charconv>

namespace muster::spec {

std::optional<LooseNumber> read_loose_number(std::string_view text) {
  LooseNumber loose;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), loose.value,
                                              std::chars_format::fixed);
  if (problem != std::errc() || text.starts_with('-')) {
    return std::nullopt;
  }
  for (const char c : text.substr(static_cast<size_t>(end - text.data()))) {
    if (c == ' ') {
      continue;
    }
    loose.rest += ascii_lower(c);
  }
  return loose;
}

}  // namespace muster::spec
