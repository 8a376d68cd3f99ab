#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// The programs of others that look into processes: where they are, and why they may not.
namespace muster::agent {

/// Returns the path of a program: the first on the PATH of `variables`, else in one of `folders`;
/// "" if there is none.
[[nodiscard]] std::string find_program(std::string_view name,
                                       const std::map<std::string, std::string>& variables,
                                       const std::vector<std::filesystem::path>& folders);

/// The folder of this program, and that of the interpreter as the process was started.
[[nodiscard]] std::vector<std::filesystem::path> folders_beside(int32_t pid);

[[nodiscard]] std::string host_name();

/// Why reading another process is forbidden here, and what lifts it.
[[nodiscard]] std::string why_forbidden();

/// The first lines of what a tool says when it fails, without its own stack trace; where it may not
/// read the process, why.
[[nodiscard]] std::string words_of_failure(std::string_view text);

}  // namespace muster::agent
