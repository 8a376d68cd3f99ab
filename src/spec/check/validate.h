#pragma once

#include "spec/keys/keys.h"
#include "spec/read/document.h"
#include "spec/read/problems.h"
#include "spec/spec.h"

namespace muster::spec {

/// Adds a problem for everything in `spec` that cannot be meant, where no single key shows it but
/// several together do. `document` is what the spec was read from, and gives the positions; it may
/// lack keys.
void validate(const Spec& spec, const Node& document, Problems& problems);

/// Adds a problem for everything that a site does not allow, with the numbers.
void check_limits(const Spec& spec, const Limits& limits, const Node& document, Problems& problems);

}  // namespace muster::spec
