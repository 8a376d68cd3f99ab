#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::tony {

/// Returns an XML document in which the entities that `doctype` declares (what follows `<!DOCTYPE`)
/// are replaced by their text, outside comments and CDATA. Only plain text entities are allowed, so
/// that no document grows beyond what was written, and none includes other files. Errors are: an
/// entity that is a file, or whose text names another entity; parameter entities; more than 1 MiB
/// of replacement text.
[[nodiscard]] Result<std::string> expand_entities(std::string_view text, std::string_view doctype);

}  // namespace muster::tony
