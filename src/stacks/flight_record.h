#pragma once

#include "base/result.h"
#include "stacks/stack_report.h"

#include <string_view>
#include <vector>

namespace muster::stacks {

/// Reads the dump of a flight recorder of torch.distributed: how far a rank has got in the
/// collective calls of each of its process groups. Only plain values of the pickle are read;
/// nothing in it is executed. Corrupt for anything else. At most kCollectivesMax groups, those with
/// the most calls.
[[nodiscard]] Result<std::vector<Collectives>> read_flight_record(std::string_view dump);

}  // namespace muster::stacks
