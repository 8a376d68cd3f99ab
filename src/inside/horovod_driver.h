#pragma once

#include <string>
#include <vector>

namespace muster::inside {

/// `muster horovod-driver HOST:PORT COMMAND...`, around the command of a driver that the user
/// brings, as in TonY's debug mode: runs it with CLUSTER_WORKER_LIST, CLUSTER_SPEC and
/// DRIVER_OUTPUT_PATH, where it is to leave a file PORT____HOROVOD_RENDEZVOUS_SERVER____ with the
/// slots of all ranks, and tells the ranks what is in it. Returns the command's exit status, or
/// another one with a message on standard error.
[[nodiscard]] int run_driver(const std::vector<std::string>& arguments);

/// `muster horovod-slot HOST:PORT`, in each rank before its program (`runtime.program`): waits for
/// the driver's slots and prints this task's as HOROVOD_* variables. Returns the exit status.
[[nodiscard]] int take_slot(const std::vector<std::string>& arguments);

}  // namespace muster::inside
