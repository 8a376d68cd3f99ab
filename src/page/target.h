#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::page {

/// The parts of "/path/of?name=value". Parts and values are decoded; what is badly encoded stays as
/// it is.
struct Target {
  std::vector<std::string> parts;  ///< Between the slashes; the last is "" after a final slash.
  std::vector<std::pair<std::string, std::string>> query;
  std::string raw_query;  ///< After '?', as sent.

  [[nodiscard]] std::string_view value(std::string_view name) const;
  [[nodiscard]] std::optional<uint64_t> number(std::string_view name) const;
};

[[nodiscard]] Target parse_target(std::string_view text);

/// Parses a whole text as a number; nullopt if it is not one.
[[nodiscard]] std::optional<uint64_t> parse_number(std::string_view text);

}  // namespace muster::page
