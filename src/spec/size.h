#pragma once

#include "base/result.h"
#include "spec/settings.h"

#include <string>
#include <string_view>

namespace muster::spec {

/// Returns the bytes of a size like "512m" or "2g": a whole number and one of b, k, m, g, t
/// (binary). The error says what is wrong with `text` without naming the key: "`2gb` is not a size;
/// did you mean `2g`?".
[[nodiscard]] Result<Bytes> parse_size(std::string_view text);

/// Returns the shortest exact size: "512m", "1536m", "1000b", "0b". `parse_size` reads it back.
[[nodiscard]] std::string format_size(Bytes bytes);

}  // namespace muster::spec
