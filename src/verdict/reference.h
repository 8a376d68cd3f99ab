#pragma once

#include <string>

namespace muster::verdict {

/// Returns docs/reference/failures.md: every class with its meaning, kind, remedy and hint, and the
/// rules in the order in which they are tried.
[[nodiscard]] std::string reference_markdown();

}  // namespace muster::verdict
