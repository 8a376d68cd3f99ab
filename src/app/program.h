#pragma once

#include <filesystem>
#include <string_view>

namespace muster::app {

/// Returns the path of the binary that this process runs, as other processes of the job are to run
/// it.
[[nodiscard]] std::filesystem::path own_program();

/// The version of this binary.
inline constexpr std::string_view kVersion = MUSTER_VERSION;

}  // namespace muster::app
