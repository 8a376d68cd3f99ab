#pragma once

#include "spec/read/document.h"
#include "spec/read/layers.h"
#include "spec/read/problems.h"

namespace muster::spec {

/// Returns the options of the quick form as a layer in the shape of a specification. For this
/// module only.
[[nodiscard]] Node quick_layer(const QuickOptions& options, Problems& problems);

/// Returns what applies in the quick form unless some layer says otherwise: what a person expects
/// who runs the same command by hand. Lowest of all layers.
[[nodiscard]] Node quick_defaults(const QuickOptions& options);

}  // namespace muster::spec
