#pragma once

#include "os/file/files.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::agent {

/// Returns the Python that a task's command runs, for people: the first word of `command` whose
/// name begins with "python", else python3, found as the shell would find it on `path` (PATH's
/// text) or from `folder`; "" if there is none. A guess: what a script starts is not looked into.
[[nodiscard]] std::string python_of(os::Files& files, std::string_view command,
                                    std::string_view path, const std::filesystem::path& folder);

}  // namespace muster::agent
