#pragma once

#include "spec/read/document.h"
#include "spec/spec.h"

#include <string>
#include <vector>

namespace muster::spec {

/// Returns a warning, "FILE:LINE:COLUMN: warning: ...", for each value that the job itself sets and
/// that has no effect because another key it depends on is not set. What a site or a user sets for
/// all jobs is no reason to warn. `document` says where the values of `spec` come from.
[[nodiscard]] std::vector<std::string> idle_warnings(const Spec& spec, const Node& document);

}  // namespace muster::spec
