#pragma once

#include "spec/spec.h"

#include <string>
#include <vector>

namespace muster::client {

/// Fills in what roles leave open, for a cluster whose containers have sizes: memory and vcores by
/// spec::give_sizes, and no GPUs. Returns, for people, what was filled in: "1 GiB of memory per
/// task for ps". Empty if every role says both.
[[nodiscard]] std::vector<std::string> assume_sizes(spec::Spec& spec);

}  // namespace muster::client
