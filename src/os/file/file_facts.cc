#include "os/file/file_facts.h"

#include "os/file/path_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace muster::os {

FileKind kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) {
    return FileKind::File;
  }
  if (S_ISDIR(mode)) {
    return FileKind::Folder;
  }
  return S_ISLNK(mode) ? FileKind::Link : FileKind::Other;
}

FileStat file_stat_of(const struct stat& from) {
  const auto modified =
      std::chrono::seconds(from.st_mtim.tv_sec) + std::chrono::nanoseconds(from.st_mtim.tv_nsec);
  return {.kind = kind_of_mode(from.st_mode),
          .size_bytes = static_cast<uint64_t>(from.st_size),
          .mode = from.st_mode & 07777U,
          .owner = from.st_uid,
          .modified = WallTime(std::chrono::duration_cast<Duration>(modified))};
}

Result<std::string> read_piece(int fd, uint64_t offset, uint64_t length, const Path& path) {
  std::string bytes;
  std::array<char, 64U << 10> buffer;  // NOLINT: filled by pread.
  while (bytes.size() < length) {
    const size_t wanted =
        static_cast<size_t>(std::min<uint64_t>(buffer.size(), length - bytes.size()));
    const ssize_t got =
        ::pread(fd, buffer.data(), wanted, static_cast<off_t>(offset + bytes.size()));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return path_error(errno, "cannot be read", path);
    }
    if (got == 0) {
      break;
    }
    bytes.append(buffer.data(), static_cast<size_t>(got));
  }
  return bytes;
}

Result<std::string> read_whole(Files& files, const Path& path, uint64_t limit_bytes) {
  MUSTER_TRY(std::string bytes, files.read_part(path, 0, limit_bytes + 1));
  if (bytes.size() > limit_bytes) {
    return user_error(
        fmt::format("{} is larger than its limit of {} bytes", path.string(), limit_bytes));
  }
  return bytes;
}

std::vector<FolderEntry> entries_of(DIR* folder) {
  std::vector<FolderEntry> entries;
  while (const dirent* entry = ::readdir(folder)) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") {
      continue;
    }
    if (entry->d_type != DT_UNKNOWN) {
      entries.push_back({.name = std::string(name), .kind = kind_of_mode(DTTOIF(entry->d_type))});
      continue;
    }
    // One that has vanished meanwhile counts as absent.
    struct stat status{};
    if (::fstatat(::dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      entries.push_back({.name = std::string(name), .kind = kind_of_mode(status.st_mode)});
    }
  }
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

}  // namespace muster::os
