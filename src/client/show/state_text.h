#pragma once

#include "base/time.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::client {

/// The colour in which a state or a result is shown, for paint().
[[nodiscard]] std::string_view colour_of(std::string_view word);
/// Formats a table cell. Pads before painting, since colour codes take no columns.
[[nodiscard]] std::string cell(std::string_view text, size_t width, bool colour);
/// Formats how long ago something was, for people; never negative.
[[nodiscard]] std::string age_of(WallTime then, WallTime now);

}  // namespace muster::client
