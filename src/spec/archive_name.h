#pragma once

#include <string>
#include <string_view>

namespace muster::spec {

/// Returns the name without the ending of an archive that `unpack: auto` unpacks, or "" if it has
/// none.
[[nodiscard]] std::string archive_stem(std::string_view name);

}  // namespace muster::spec
