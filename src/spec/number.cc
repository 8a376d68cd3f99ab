#include "spec/number.h"

#include <charconv>

namespace muster::spec {

std::optional<LooseNumber> read_loose_number(std::string_view text) {
  LooseNumber loose;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] =
      std::from_chars(text.data(), end, loose.value, std::chars_format::fixed);
  if (problem != std::errc() || text.starts_with('-')) {
    return std::nullopt;
  }
  for (const char* at = stop; at != end; ++at) {
    if (*at == ' ') {
      continue;
    }
    const bool upper = *at >= 'A' && *at <= 'Z';
    loose.rest += upper ? static_cast<char>(*at - 'A' + 'a') : *at;
  }
  return loose;
}

}  // namespace muster::spec
