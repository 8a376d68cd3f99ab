#include "os/foreign_files.h"

#include "os/path_error.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

FileKind kind_of_mode(mode_t mode) {
  return S_ISREG(mode)   ? FileKind::File
         : S_ISDIR(mode) ? FileKind::Folder
         : S_ISLNK(mode) ? FileKind::Link
                         : FileKind::Other;
}

FileStat stat_from(const struct stat& from) {
  return {.kind = kind_of_mode(from.st_mode),
          .size_bytes = static_cast<uint64_t>(from.st_size),
          .mode = from.st_mode & 07777U,
          .owner = from.st_uid,
          .modified = WallTime(std::chrono::seconds(from.st_mtim.tv_sec) +
                               std::chrono::microseconds(from.st_mtim.tv_nsec / 1000))};
}

Error link_error(int error, std::string_view what, const Path& path) {
  if (error == ELOOP || error == ENOTDIR) {
    return user_error(
        fmt::format("{} {}: a link, or not a folder, is on the way", path.string(), what),
        Errc::NotFound);
  }
  return path_error(error, what, path);
}

/// Opens the folder that the last part of the path lies in, one part after the other.
Result<rt::Fd> open_parent(const Path& path) {
  rt::Fd at(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Path parent = path.parent_path().relative_path();
  for (const Path& part : parent) {
    if (part == "..") {
      return link_error(ELOOP, "cannot be read", path);
    }
    rt::Fd next(::openat(at.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) {
      return link_error(errno, "cannot be read", path);
    }
    at = std::move(next);
  }
  return at;
}

/// Opens the path for reading, if it is of that type. A pipe does not block.
Result<rt::Fd> open_at(const Path& path, int flags, mode_t type) {
  MUSTER_TRY(const rt::Fd parent, open_parent(path));
  rt::Fd fd(::openat(parent.get(), path.filename().c_str(),
                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags));
  struct stat found{};
  if (!fd.valid() || ::fstat(fd.get(), &found) != 0) {
    return link_error(errno, "cannot be read", path);
  }
  if ((found.st_mode & S_IFMT) != type) {
    return link_error(ELOOP, "cannot be read", path);
  }
  return fd;
}

class ForeignFiles final : public Files {
 public:
  Result<std::string> read(const Path& path, uint64_t limit_bytes) override {
    MUSTER_TRY(std::string bytes, read_part(path, 0, limit_bytes + 1));
    if (bytes.size() > limit_bytes) {
      return user_error(
          fmt::format("{} is larger than its limit of {} bytes", path.string(), limit_bytes));
    }
    return bytes;
  }

  Result<std::string> read_part(const Path& path, uint64_t offset, uint64_t length) override {
    MUSTER_TRY(const rt::Fd fd, open_at(path, 0, S_IFREG));
    std::string bytes;
    std::array<char, 64U << 10> buffer;  // NOLINT: filled by pread.
    while (bytes.size() < length) {
      const auto wanted = std::min<uint64_t>(buffer.size(), length - bytes.size());
      const ssize_t got =
          ::pread(fd.get(), buffer.data(), wanted, static_cast<off_t>(offset + bytes.size()));
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

  Result<std::vector<FolderEntry>> list(const Path& path) override {
    MUSTER_TRY(rt::Fd fd, open_at(path, O_DIRECTORY, S_IFDIR));
    const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(fd.get()));
    if (folder == nullptr) {
      return path_error(errno, "cannot be listed", path);
    }
    (void)fd.release();
    std::vector<FolderEntry> entries;
    while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe)
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") {
        entries.push_back({std::string(name), kind_of(*entry, ::dirfd(folder.get()))});
      }
    }
    std::ranges::sort(entries, {}, &FolderEntry::name);
    return entries;
  }

  Result<FileStat> stat(const Path& path) override {
    MUSTER_TRY(const rt::Fd parent, open_parent(path));
    struct stat found{};
    if (::fstatat(parent.get(), path.filename().c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
      return link_error(errno, "cannot be looked at", path);
    }
    return stat_from(found);
  }

  Result<DiskSpace> disk_space(const Path& path) override { return refused(path); }
  Status write(const Path& path, std::string_view, const WriteOptions&) override {
    return refused(path);
  }
  Status create(const Path& path, std::string_view, const WriteOptions&) override {
    return refused(path);
  }
  Result<std::unique_ptr<AppendFile>> open_append(const Path& path, uint32_t) override {
    return refused(path);
  }
  Status truncate(const Path& path, uint64_t) override { return refused(path); }
  Status make_folders(const Path& path, uint32_t) override { return refused(path); }
  Status make_folder(const Path& path, uint32_t) override { return refused(path); }
  Status copy_tree(const Path& path, const Path&) override { return refused(path); }
  Status hard_link(const Path& path, const Path&) override { return refused(path); }
  Status symbolic_link(const Path&, const Path& path) override { return refused(path); }
  Status rename(const Path& path, const Path&) override { return refused(path); }
  Status remove(const Path& path) override { return refused(path); }
  Status remove_tree(const Path& path) override { return refused(path); }
  Result<std::unique_ptr<FileLock>> try_lock(const Path& path, uint32_t) override {
    return refused(path);
  }
  std::unique_ptr<LockWait> wait_lock(
      const Path& path, uint32_t,
      std::function<void(Result<std::unique_ptr<FileLock>>)> done) override {
    done(refused(path));
    return nullptr;
  }

 private:
  static Error refused(const Path& path) {
    return user_error(path.string() + " belongs to somebody else: it is only read",
                      Errc::Unsupported);
  }
  static FileKind kind_of(const dirent& entry, int folder) {
    if (entry.d_type != DT_UNKNOWN) {
      return kind_of_mode(DTTOIF(entry.d_type));
    }
    struct stat found{};
    return ::fstatat(folder, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) == 0
               ? kind_of_mode(found.st_mode)
               : FileKind::Other;
  }
};

}  // namespace

std::unique_ptr<Files> make_foreign_files() { return std::make_unique<ForeignFiles>(); }

}  // namespace muster::os
