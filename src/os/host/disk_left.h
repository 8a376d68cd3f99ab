#pragma once

#include "os/file/files.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace muster::os {

/// Returns those of the folders that can be examined without waiting: according to the text of
/// /proc/self/mountinfo, their file systems are not those of another host, which may be away.
[[nodiscard]] std::vector<Path> local_folders(std::vector<Path> folders, std::string_view mounts);

/// Returns how much is left on that disk among the folders' disks that is closest to being full
/// (the least free bytes). nullopt if none can be examined.
[[nodiscard]] std::optional<DiskSpace> least_disk_left(std::span<const Path> folders);

}  // namespace muster::os
