#pragma once

#include "spec/document.h"
#include "spec/layers.h"
#include "spec/problems.h"

namespace muster::spec {

/// Returns the options of the quick form as a layer in the shape of a specification. Inside this
/// module only.
[[nodiscard]] Node quick_layer(const QuickOptions& options, Problems& problems);

/// Returns `command` with the words appended, each quoted for /bin/sh.
[[nodiscard]] std::string with_words(std::string command, const std::vector<std::string>& words);

}  // namespace muster::spec
