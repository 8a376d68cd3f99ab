#pragma once

#include "spec/spec.h"

#include <string>
#include <vector>

namespace muster::spec {

/// Returns the roles of one circle of `after`, the first one again at the end: {"a", "b", "a"};
/// empty if the roles can be put in an order. Names that are no roles, and a role that waits for
/// itself, are passed over.
[[nodiscard]] std::vector<std::string> waiting_cycle(const Spec& spec);

}  // namespace muster::spec
