#include "os/host/disk_left.h"

#include "base/text.h"
#include "os/file/disk_space.h"

#include <algorithm>
#include <array>
#include <string>

namespace muster::os {
namespace {

/// Returns whether the file system may be on another host, or served by a program that may ask one.
bool may_be_away(std::string_view type) {
  static constexpr std::array<std::string_view, 14> kTypes = {
      "9p",   "afs",    "beegfs", "ceph",  "cifs", "fuse",     "gfs2",
      "gpfs", "lustre", "nfs",    "ocfs2", "smb",  "virtiofs", "wekafs"};
  return std::ranges::any_of(kTypes,
                             [type](std::string_view each) { return type.starts_with(each); });
}

bool is_below(std::string_view path, std::string_view folder) {
  return folder == "/" ||
         (path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/'));
}

/// Returns the type of the file system of a path; "" if no mount is known for it. A mount's line:
/// "36 35 98:0 /mnt1 /mnt/parent rw,noatime master:1 - ext3 /dev/root rw". Of two mounts at the
/// same place, the later one counts.
std::string_view type_of(std::string_view path, std::string_view mounts) {
  constexpr size_t kPlace = 4;
  std::string_view best;
  std::string_view type;
  for (const std::string_view line : split(mounts, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    const auto dash = std::ranges::find(words, "-");
    if (words.size() <= kPlace || dash == words.end() || dash + 1 == words.end()) {
      continue;
    }
    const std::string_view place = words[kPlace];
    if (is_below(path, place) && place.size() >= best.size()) {
      best = place;
      type = *(dash + 1);
    }
  }
  return type;
}

}  // namespace

std::vector<Path> local_folders(std::vector<Path> folders, std::string_view mounts) {
  std::erase_if(folders, [&](const Path& folder) {
    const std::string_view type = type_of(folder.native(), mounts);
    return !folder.is_absolute() || type.empty() || may_be_away(type);
  });
  return folders;
}

std::optional<DiskSpace> least_disk_left(std::span<const Path> folders) {
  std::optional<DiskSpace> least;
  for (const Path& folder : folders) {
    const std::optional<DiskSpace> space = read_disk_space(folder);
    if (space && space->total_bytes > 0 && (!least || space->free_bytes < least->free_bytes)) {
      least = space;
    }
  }
  return least;
}

}  // namespace muster::os
