#pragma once

#include "base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace muster::inside {

using Variables = std::map<std::string, std::string>;

/// Reads lines NAME=VALUE; empty ones and those that begin with # say nothing. An error (the
/// user's) quotes the first line that is neither, or that sets a name which Muster owns.
[[nodiscard]] Result<Variables> parse_variables(std::string_view text);

/// Runs a framework's own program, with the view on its standard input and `environment` for its
/// own, in the current folder, and returns the variables that it prints. Its standard error is the
/// task's. Blocks for at most ten minutes. Errors are the user's and name the program.
[[nodiscard]] Result<Variables> printed_variables(const std::string& program,
                                                  const std::filesystem::path& view_file,
                                                  const Variables& environment);

}  // namespace muster::inside
