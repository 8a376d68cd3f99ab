#pragma once

#include <string>
#include <vector>

namespace muster::inside {

/// `muster elastic-rendezvous HOST:PORT ROLE MIN`, the command of the task beside Horovod's elastic
/// ranks, which are those of ROLE: answers what they ask their driver (ElasticRendezvous) until it
/// is ended, and reports on standard output who takes part in each round. Returns only if it cannot
/// listen: the exit status, with a message on standard error.
[[nodiscard]] int serve_elastic(const std::vector<std::string>& arguments);

/// `muster elastic-join HOST:PORT`, in each rank before its program (`runtime.program`): waits for
/// a place in the next round and prints it as HOROVOD_* variables. Leaves a process behind that
/// holds the connection by which the other side knows that the attempt is alive. Returns the exit
/// status.
[[nodiscard]] int join_elastic(const std::vector<std::string>& arguments);

}  // namespace muster::inside
