#pragma once

#include <string>
#include <vector>

namespace muster::inside {

/// `muster inside [--rendezvous HOST:PORT] [--program COMMAND] -- PROGRAM ARGUMENT...`: begins an
/// attempt in the place of PROGRAM, which it becomes in the end. Before that it serves a rendezvous
/// from a process beside it, which ends with the attempt's own, and adds the variables that COMMAND
/// prints. Returns only where that failed: the exit status, with a message on standard error.
[[nodiscard]] int run(const std::vector<std::string>& arguments);

/// `muster in-own-folder PROGRAM ARGUMENT...`: becomes the program in MUSTER_TASK_FOLDER, where
/// that is set: what another task started here begins in that one's folder. Returns as run().
[[nodiscard]] int run_in_own_folder(const std::vector<std::string>& arguments);

/// The exit status where an attempt could not begin.
inline constexpr int kCannotBegin = 78;

}  // namespace muster::inside
