#pragma once

#include "base/result.h"
#include "os/file/files.h"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::client {

/// Returns the names in a zip archive, folders with a trailing slash, without unpacking it.
/// InvalidArgument if the file is not a zip archive, or is one of more than 4 GiB or 65,534 files.
[[nodiscard]] Result<std::vector<std::string>> zip_names(os::Files& files,
                                                         const std::filesystem::path& path);

}  // namespace muster::client
