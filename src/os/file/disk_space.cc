#include "os/file/disk_space.h"

#include <cstdint>
#include <sys/statvfs.h>

namespace muster::os {

std::optional<DiskSpace> read_disk_space(const Path& path) {
  struct statvfs status{};
  if (::statvfs(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  return DiskSpace{.free_bytes = uint64_t{status.f_bavail} * status.f_frsize,
                   .total_bytes = uint64_t{status.f_blocks} * status.f_frsize,
                   .free_inodes = status.f_files == 0 ? UINT64_MAX : uint64_t{status.f_favail}};
}

}  // namespace muster::os
