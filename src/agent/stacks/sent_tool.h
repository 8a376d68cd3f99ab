#pragma once

#include "rt/fd.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

/// Keeps what standard input brings as a program in memory: no folder has to allow programs.
/// nullopt if it brings none.
[[nodiscard]] std::optional<rt::Fd> tool_from_stdin();

/// The path of such a program, for processes that this one starts.
[[nodiscard]] std::string path_of_tool(const rt::Fd& tool);

/// Writes everything; false when nobody takes it.
bool write_whole(int fd, std::string_view bytes);

}  // namespace muster::agent
