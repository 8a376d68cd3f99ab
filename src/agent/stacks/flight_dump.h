#pragma once

#include "os/process/process_tree.h"
#include "stacks/stack_report.h"

#include <vector>

namespace muster::agent {

/// What the flight recorder of torch.distributed has written for a process since that began: its
/// rank's file, where the process's variables (TORCH_FR_DUMP_TEMP_FILE,
/// TORCH_NCCL_DEBUG_INFO_TEMP_FILE) or torch's defaults say. Empty where there is none, or it is
/// another user's, or cannot be read. Never waits.
[[nodiscard]] std::vector<stacks::Collectives> read_flight_dump(const os::ProcessInfo& process);

}  // namespace muster::agent
