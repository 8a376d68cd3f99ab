#pragma once

#include <filesystem>
#include <string_view>

namespace muster::app {

/// Returns the path of the binary that this process runs, for other processes of the job to run it.
[[nodiscard]] std::filesystem::path own_program();

/// The version of this binary.
inline constexpr std::string_view kVersion = MUSTER_VERSION;

/// Gives each closed standard stream a descriptor that refuses reads and writes. Otherwise the next
/// file or socket opened would get its number, and text meant for people would go into it.
/// Processes started from here have these descriptors, too.
void hold_closed_streams();

}  // namespace muster::app
