#pragma once

#include <filesystem>

namespace muster::app {

/// Returns the path of the binary that this process runs, as other processes of the job are to run
/// it.
[[nodiscard]] std::filesystem::path own_program();

}  // namespace muster::app
