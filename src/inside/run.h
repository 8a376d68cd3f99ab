#pragma once

#include <string>
#include <vector>

namespace muster::inside {

/// `muster inside [--rendezvous HOST:PORT] [--program COMMAND] -- PROGRAM ARGUMENT...`: begins an
/// attempt in place of PROGRAM, which it finally becomes. Before that it serves a rendezvous from a
/// process beside it, which ends with the attempt's own, and adds the variables that COMMAND
/// prints. Returns only if that failed: the exit status, with a message on standard error.
[[nodiscard]] int run(const std::vector<std::string>& arguments);

/// `muster in-own-folder PROGRAM ARGUMENT...`: becomes the program in MUSTER_TASK_FOLDER, if that
/// is set: what another task started here begins in that task's folder. Returns like run().
[[nodiscard]] int run_in_own_folder(const std::vector<std::string>& arguments);

/// The exit status if an attempt could not begin.
inline constexpr int kCannotBegin = 78;

}  // namespace muster::inside
