#pragma once

#include "base/result.h"
#include "os/file/files.h"

#include <dirent.h>
#include <string>
#include <sys/stat.h>
#include <vector>

/// What implementations of Files do with what they have opened, no matter how they opened it.
namespace muster::os {

[[nodiscard]] FileKind kind_of_mode(mode_t mode);
[[nodiscard]] FileStat file_stat_of(const struct stat& from);

/// Returns up to `length` bytes from `offset` on; fewer if the file ends before that. `path` is for
/// messages.
[[nodiscard]] Result<std::string> read_piece(int fd, uint64_t offset, uint64_t length,
                                             const Path& path);
/// Reads a whole file of at most `limit_bytes`.
[[nodiscard]] Result<std::string> read_whole(Files& files, const Path& path, uint64_t limit_bytes);
/// Returns what is in a folder, sorted by name.
[[nodiscard]] std::vector<FolderEntry> entries_of(DIR* folder);

}  // namespace muster::os
