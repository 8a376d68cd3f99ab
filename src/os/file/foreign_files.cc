#include "os/file/foreign_files.h"

#include "os/file/file_facts.h"
#include "os/file/path_error.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

constexpr uint64_t kForeignFileMax = 64U << 20;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

Error link_error(int error, std::string_view what, const Path& path) {
  if (error == ELOOP || error == ENOTDIR) {
    return user_error(
        fmt::format("{} {}: a link, or not a folder, is on the way", path.string(), what),
        Errc::NotFound);
  }
  return path_error(error, what, path);
}

/// Opens the folder that contains the last part of the path, one part after the other.
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

/// Opens the path for reading if it is of the given type. A pipe does not block.
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
  explicit ForeignFiles(ReadBudget* budget) : budget_(budget) {}

  Result<std::string> read(const Path& path, uint64_t limit_bytes) override {
    return read_whole(*this, path, std::min(limit_bytes, kForeignFileMax));
  }

  Result<std::string> read_part(const Path& path, uint64_t offset, uint64_t length) override {
    MUSTER_TRY_STATUS(spend(kReadCallCost, path));
    MUSTER_TRY(const rt::Fd fd, open_at(path, 0, S_IFREG));
    const uint64_t room = budget_ == nullptr ? length : std::min(length, budget_->left_bytes);
    MUSTER_TRY(std::string bytes, read_piece(fd.get(), offset, room, path));
    MUSTER_TRY_STATUS(spend(bytes.size(), path));
    if (bytes.size() == room && room < length) {
      return used_up(path);
    }
    return bytes;
  }

  Result<std::vector<FolderEntry>> list(const Path& path) override {
    MUSTER_TRY_STATUS(spend(kReadCallCost, path));
    MUSTER_TRY(rt::Fd fd, open_at(path, O_DIRECTORY, S_IFDIR));
    const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(fd.get()));
    if (folder == nullptr) {
      return path_error(errno, "cannot be listed", path);
    }
    (void)fd.release();
    std::vector<FolderEntry> entries = entries_of(folder.get());
    MUSTER_TRY_STATUS(spend(kReadEntryCost * entries.size(), path));
    return entries;
  }

  Result<FileStat> stat(const Path& path) override {
    MUSTER_TRY_STATUS(spend(kReadCallCost, path));
    MUSTER_TRY(const rt::Fd parent, open_parent(path));
    struct stat found{};
    if (::fstatat(parent.get(), path.filename().c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
      return link_error(errno, "cannot be looked at", path);
    }
    return file_stat_of(found);
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
  static Error used_up(const Path& path) {
    return user_error(path.string() + " is more than may be read here", Errc::OutOfSpace);
  }
  Status spend(uint64_t bytes, const Path& path) {
    if (budget_ == nullptr) {
      return {};
    }
    const bool fits = bytes <= budget_->left_bytes;
    budget_->left_bytes -= std::min(bytes, budget_->left_bytes);
    return fits ? Status() : Status(used_up(path));
  }
  static Error refused(const Path& path) {
    return user_error(path.string() + " belongs to somebody else: it is only read",
                      Errc::Unsupported);
  }

  ReadBudget* budget_;  ///< nullptr: no limit.
};

}  // namespace

std::unique_ptr<Files> make_foreign_files(ReadBudget* budget) {
  return std::make_unique<ForeignFiles>(budget);
}

}  // namespace muster::os
