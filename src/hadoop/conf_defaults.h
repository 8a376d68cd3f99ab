#pragma once

#include <optional>
#include <string_view>

namespace muster::hadoop {

/// Hadoop 3.4's own default of a property that Muster reads, as text; nothing if it has none.
[[nodiscard]] std::optional<std::string_view> default_value(std::string_view name);

/// The name that replaced `name`; `name` itself if it is not an old one.
[[nodiscard]] std::string_view current_name(std::string_view name);

}  // namespace muster::hadoop
