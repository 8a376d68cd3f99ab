#include "os/process/signal_set.h"

#include "base/text.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace muster::os {

std::string_view status_field(std::string_view status, std::string_view key) {
  for (const std::string_view line : split(status, '\n')) {
    if (line.starts_with(key)) {
      return trim(line.substr(key.size()));
    }
  }
  return {};
}

bool holds_signal(std::string_view status, std::string_view key, int signal) {
  const std::string_view set = status_field(status, key);
  uint64_t signals = 0;
  const auto parsed = std::from_chars(set.data(), set.data() + set.size(), signals, 16);
  return parsed.ec == std::errc() && (signals >> (signal - 1) & 1U) != 0;
}

}  // namespace muster::os
