#pragma once

#include "os/file/files.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace muster::os {

/// Of some folders those that can be looked at without a wait: their file systems, as far as the
/// text of /proc/self/mountinfo tells, are not those of another host, which may be away.
[[nodiscard]] std::vector<Path> local_folders(std::vector<Path> folders, std::string_view mounts);

/// How much is left of the disk of those folders that is closest to being full: the least free
/// bytes. nullopt if none can be looked at.
[[nodiscard]] std::optional<DiskSpace> least_disk_left(std::span<const Path> folders);

}  // namespace muster::os
