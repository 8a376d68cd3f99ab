#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::tony {

/// Returns an XML document with the entities that `doctype` declares (what stands behind
/// `<!DOCTYPE`) put in the place of their names, outside comments and CDATA. An entity is text of
/// the document's own. Errors, so that no document grows beyond what somebody has written, and none
/// is made of other files: an entity of a file, or whose text names another one; parameter
/// entities; more than 1 MiB of text in the place of names.
[[nodiscard]] Result<std::string> expand_entities(std::string_view text, std::string_view doctype);

}  // namespace muster::tony
