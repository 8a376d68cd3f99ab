#include "os/file/local_files.h"

#include "base/check.h"
#include "os/file/disk_space.h"
#include "os/file/file_facts.h"
#include "os/file/file_lock.h"
#include "os/file/file_tree.h"
#include "os/file/path_error.h"
#include "rt/fd.h"
#include "rt/system_random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

/// Writes all of `bytes`; returns 0 or the errno.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) {
      return errno;
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(put, 0)));
  }
  return 0;
}

Path folder_of(const Path& path) { return path.has_parent_path() ? path.parent_path() : Path("."); }

Status sync_folder(const Path& folder) {
  const rt::Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder and return EINVAL; they need no sync either.
  if (!fd.valid() || (::fsync(fd.get()) != 0 && errno != EINVAL)) {
    return path_error(errno, "cannot be synced to disk", folder);
  }
  return {};
}

class LocalAppendFile final : public AppendFile {
 public:
  LocalAppendFile(Path path, rt::Fd fd, uint64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size) {}

  Status append(std::string_view bytes) override {
    const int error = write_all(fd_.get(), bytes);
    if (error != 0) {
      // Half a record must not stay. If even this fails, readers see a torn tail, which they can
      // handle.
      (void)::ftruncate(fd_.get(), static_cast<off_t>(size_));
      return path_error(error, "cannot be appended to", path_);
    }
    size_ += bytes.size();
    return {};
  }
  Status sync() override {
    return ::fdatasync(fd_.get()) == 0 ? Status() : path_error(errno, "cannot be synced", path_);
  }
  [[nodiscard]] uint64_t size_bytes() const override { return size_; }

 private:
  Path path_;
  rt::Fd fd_;
  uint64_t size_;
};

class LocalFiles final : public Files {
 public:
  explicit LocalFiles(rt::Loop* loop) : loop_(loop) {}

  Result<std::string> read(const Path& path, uint64_t limit_bytes) override;
  Result<std::string> read_part(const Path& path, uint64_t offset, uint64_t length) override;
  Status write(const Path& path, std::string_view bytes, const WriteOptions& options) override;
  Status create(const Path& path, std::string_view bytes, const WriteOptions& options) override;
  Result<std::unique_ptr<AppendFile>> open_append(const Path& path, uint32_t mode) override;
  Status truncate(const Path& path, uint64_t size_bytes) override;
  Status make_folders(const Path& path, uint32_t mode) override;
  Status make_folder(const Path& path, uint32_t mode) override;
  Result<std::vector<FolderEntry>> list(const Path& path) override;
  Result<FileStat> stat(const Path& path) override;
  Status copy_tree(const Path& from, const Path& to) override { return os::copy_tree(from, to); }
  Status hard_link(const Path& existing, const Path& link) override;
  Status symbolic_link(const Path& target, const Path& link) override;
  Status rename(const Path& from, const Path& to) override;
  Status remove(const Path& path) override;
  Status remove_tree(const Path& path) override { return os::remove_tree(path); }
  Result<DiskSpace> disk_space(const Path& path) override;
  Result<std::unique_ptr<FileLock>> try_lock(const Path& path, uint32_t mode) override {
    return try_file_lock(path, mode);
  }
  std::unique_ptr<LockWait> wait_lock(
      const Path& path, uint32_t mode,
      std::function<void(Result<std::unique_ptr<FileLock>>)> done) override {
    MUSTER_CHECK(loop_ != nullptr, "a lock is waited for without a loop");
    return wait_file_lock(*loop_, path, mode, std::move(done));
  }

 private:
  /// Creates `path`, which must not exist, with these options and the content `bytes`.
  static Status write_new(const Path& path, std::string_view bytes, const WriteOptions& options);

  rt::Loop* loop_;
};

Result<std::string> LocalFiles::read(const Path& path, uint64_t limit_bytes) {
  return read_whole(*this, path, limit_bytes);
}

Result<std::string> LocalFiles::read_part(const Path& path, uint64_t offset, uint64_t length) {
  const rt::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return path_error(errno, "cannot be read", path);
  }
  return read_piece(fd.get(), offset, length, path);
}

Status LocalFiles::write_new(const Path& path, std::string_view bytes,
                             const WriteOptions& options) {
  const rt::Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, options.mode));
  if (!fd.valid()) {
    return path_error(errno, "cannot be created", path);
  }
  int error = write_all(fd.get(), bytes);
  if (error == 0 && options.durable && ::fsync(fd.get()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlink(path.c_str());
    return path_error(error, "cannot be written", path);
  }
  return {};
}

Status LocalFiles::write(const Path& path, std::string_view bytes, const WriteOptions& options) {
  std::array<uint8_t, 8> random{};
  rt::SystemRandom().fill(random);
  uint64_t number = 0;
  for (const uint8_t byte : random) {
    number = number << 8 | byte;
  }
  const Path temporary =
      folder_of(path) / fmt::format(".{}.{:016x}", path.filename().string(), number);
  auto written = write_new(temporary, bytes, options);
  if (written.has_value()) {
    written = rename(temporary, path);
    if (!written.has_value()) {
      ::unlink(temporary.c_str());
    }
  }
  if (!written.has_value()) {
    // Use the name that the caller knows, not the temporary one.
    return written.error().within(fmt::format("writing {}", path.string()));
  }
  return options.durable ? sync_folder(folder_of(path)) : Status();
}

Status LocalFiles::create(const Path& path, std::string_view bytes, const WriteOptions& options) {
  MUSTER_TRY_STATUS(write_new(path, bytes, options));
  return options.durable ? sync_folder(folder_of(path)) : Status();
}

Result<std::unique_ptr<AppendFile>> LocalFiles::open_append(const Path& path, uint32_t mode) {
  rt::Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode));
  struct stat status{};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) {
    return path_error(errno, "cannot be opened", path);
  }
  return std::make_unique<LocalAppendFile>(path, std::move(fd),
                                           static_cast<uint64_t>(status.st_size));
}

Status LocalFiles::truncate(const Path& path, uint64_t size_bytes) {
  if (::truncate(path.c_str(), static_cast<off_t>(size_bytes)) != 0) {
    return path_error(errno, "cannot be truncated", path);
  }
  return {};
}

Status LocalFiles::make_folders(const Path& path, uint32_t mode) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return {};
  }
  if (path.has_parent_path() && path.parent_path() != path) {
    MUSTER_TRY_STATUS(make_folders(path.parent_path(), mode));
  }
  if (path.has_filename() && ::mkdir(path.c_str(), mode) != 0) {
    const int error = errno;
    // Another process may have created it meanwhile.
    if (error == EEXIST && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      return {};
    }
    return path_error(error, "cannot be created", path);
  }
  return {};
}

Status LocalFiles::make_folder(const Path& path, uint32_t mode) {
  if (::mkdir(path.c_str(), mode) != 0) {
    return path_error(errno, "cannot be created", path);
  }
  return {};
}

Result<std::vector<FolderEntry>> LocalFiles::list(const Path& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) {
    return path_error(errno, "cannot be listed", path);
  }
  return entries_of(folder.get());
}

Result<FileStat> LocalFiles::stat(const Path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    return path_error(errno, "cannot be examined", path);
  }
  return file_stat_of(status);
}

Status LocalFiles::hard_link(const Path& existing, const Path& link) {
  if (::link(existing.c_str(), link.c_str()) != 0) {
    return path_error(errno, "cannot be created", link);
  }
  return {};
}

Status LocalFiles::symbolic_link(const Path& target, const Path& link) {
  if (::symlink(target.c_str(), link.c_str()) != 0) {
    return path_error(errno, "cannot be created", link);
  }
  return {};
}

Status LocalFiles::rename(const Path& from, const Path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return path_error(errno, fmt::format("cannot be renamed to {}", to.string()), from);
  }
  return {};
}

Status LocalFiles::remove(const Path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return path_error(errno, "cannot be removed", path);
  }
  return {};
}

Result<DiskSpace> LocalFiles::disk_space(const Path& path) {
  const std::optional<DiskSpace> space = read_disk_space(path);
  return space ? Result<DiskSpace>(*space)
               : path_error(errno, "cannot be examined for free space", path);
}

}  // namespace

std::unique_ptr<Files> make_local_files(rt::Loop* loop) {
  return std::make_unique<LocalFiles>(loop);
}

}  // namespace muster::os
