#pragma once

#include "spec/spec.h"

#include <string>
#include <vector>

namespace muster::spec {

/// Returns the roles of one cycle of `after`, with the first one again at the end: {"a", "b", "a"};
/// empty if the roles can be put in an order. Names that are not roles, and a role that waits for
/// itself, are skipped.
[[nodiscard]] std::vector<std::string> waiting_cycle(const Spec& spec);

}  // namespace muster::spec
