#pragma once

#include "base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace muster::inside {

using Variables = std::map<std::string, std::string>;

/// Parses lines NAME=VALUE; empty ones and those that begin with # are ignored. An error (the
/// user's) quotes the first line that is invalid, or that sets a name that Muster owns.
[[nodiscard]] Result<Variables> parse_variables(std::string_view text);

/// Runs a framework's own program in the current folder, with the view on its standard input and
/// `environment` as its environment, and returns the variables that it prints. Its standard error
/// is the task's. Blocks for at most ten minutes. Errors are the user's and name the program.
[[nodiscard]] Result<Variables> printed_variables(const std::string& program,
                                                  const std::filesystem::path& view_file,
                                                  const Variables& environment);

}  // namespace muster::inside
