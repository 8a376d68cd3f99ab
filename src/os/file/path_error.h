#pragma once

#include "base/result.h"
#include "os/file/files.h"

#include <string_view>

namespace muster::os {

/// Returns the error of a system call on `path`, by errno: "PATH WHAT: No such file or directory".
[[nodiscard]] Error path_error(int error, std::string_view what, const Path& path);

}  // namespace muster::os
