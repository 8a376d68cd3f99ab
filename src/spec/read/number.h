#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::spec {

/// A number as people write it, and what follows it. For suggestions only.
struct LooseNumber {
  double value = 0;
  std::string rest;  ///< Lower case, without blanks.
};

/// Reads "1.5 GiB" as 1.5 and "gib"; nullopt without leading digits or with an exponent.
[[nodiscard]] std::optional<LooseNumber> read_loose_number(std::string_view text);

}  // namespace muster::spec
