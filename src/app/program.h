#pragma once

#include <filesystem>
#include <string_view>

namespace muster::app {

/// Returns the path of the binary that this process runs, as other processes of the job are to run
/// it.
[[nodiscard]] std::filesystem::path own_program();

/// The version of this binary.
inline constexpr std::string_view kVersion = MUSTER_VERSION;

/// Gives those of the three standard streams that are closed a descriptor that refuses what is
/// written to it, or read. Else the next file or socket that is opened would get their numbers, and
/// what is meant for people would go into it. Processes that are started from here have them, too.
void hold_closed_streams();

}  // namespace muster::app
