#pragma once

#include "os/file/files.h"

#include <optional>

namespace muster::os {

/// Returns how much is left on the disk that a path is on; nullopt, with the cause in errno, if the
/// path cannot be examined.
[[nodiscard]] std::optional<DiskSpace> read_disk_space(const Path& path);

}  // namespace muster::os
