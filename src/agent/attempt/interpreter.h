#pragma once

#include "os/file/files.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::agent {

/// Returns, for display, the Python that a task's command runs: the first word of `command` whose
/// name begins with "python", else python3, looked up as the shell would on `path` (PATH's text) or
/// from `folder`; "" if there is none. This is a guess: scripts are not searched for what they
/// start.
[[nodiscard]] std::string python_of(os::Files& files, std::string_view command,
                                    std::string_view path, const std::filesystem::path& folder);

}  // namespace muster::agent
