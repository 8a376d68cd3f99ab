#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::os {

using Path = std::filesystem::path;

enum class FileKind : uint8_t { File, Folder, Link, Other };

struct FileStat {
  FileKind kind = FileKind::File;
  uint64_t size_bytes = 0;
  uint32_t mode = 0;   ///< Permission bits only.
  uint32_t owner = 0;  ///< User id.
  WallTime modified{};
};

struct FolderEntry {
  std::string name;
  FileKind kind = FileKind::File;
  bool operator==(const FolderEntry&) const = default;
};

struct DiskSpace {
  uint64_t free_bytes = 0;  ///< For this user.
  uint64_t total_bytes = 0;
  uint64_t free_inodes = 0;  ///< UINT64_MAX if the file system does not count them.
};

struct WriteOptions {
  uint32_t mode = 0644;
  bool durable = false;  ///< Survives the host's crash (fsync of file and folder).
};

/// A file that only grows. It is closed by its destructor.
class AppendFile {
 public:
  virtual ~AppendFile() = default;
  /// Appends all of `bytes`, or nothing after an error, as far as the disk allows (the file is cut
  /// back).
  virtual Status append(std::string_view bytes) = 0;
  virtual Status sync() = 0;
  [[nodiscard]] virtual uint64_t size_bytes() const = 0;
};

/// A lock on a file, held until this object is destroyed or its process ends, however it ends.
/// Children do not inherit it.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

/// A wait for a lock. Destroying it cancels the wait; no callback comes afterwards.
class LockWait {
 public:
  virtual ~LockWait() = default;
};

/// The file system as shells see it. All calls but wait_lock block and may be made on any thread;
/// those that may be slow go through rt::Loop::run_blocking. Errors name the path; NotFound,
/// AlreadyExists, PermissionDenied and OutOfSpace are distinguished. LocalFiles is the real one;
/// the simulator keeps a tree in memory.
class Files {
 public:
  virtual ~Files() = default;

  /// Reads a whole file; larger than `limit_bytes` is an error.
  virtual Result<std::string> read(const Path& path, uint64_t limit_bytes = 64U << 20) = 0;
  /// Reads up to `length` bytes from `offset`; fewer at the end of the file.
  virtual Result<std::string> read_part(const Path& path, uint64_t offset, uint64_t length) = 0;
  /// Replaces a file as a whole: readers see the old or the new content, never a part.
  virtual Status write(const Path& path, std::string_view bytes,
                       const WriteOptions& options = {}) = 0;
  /// Makes a file that must not exist yet (AlreadyExists).
  virtual Status create(const Path& path, std::string_view bytes,
                        const WriteOptions& options = {}) = 0;
  /// Opens a file to append to it; makes it with `mode` if it is missing.
  virtual Result<std::unique_ptr<AppendFile>> open_append(const Path& path,
                                                          uint32_t mode = 0644) = 0;
  /// Cuts a file to `size_bytes`.
  virtual Status truncate(const Path& path, uint64_t size_bytes) = 0;

  /// Makes a folder and those above it; an existing one is a success.
  virtual Status make_folders(const Path& path, uint32_t mode = 0755) = 0;
  /// Makes one folder that must not exist yet (AlreadyExists).
  virtual Status make_folder(const Path& path, uint32_t mode = 0755) = 0;
  /// Lists a folder, sorted by name.
  virtual Result<std::vector<FolderEntry>> list(const Path& path) = 0;
  /// Describes the path itself; a link is not followed.
  virtual Result<FileStat> stat(const Path& path) = 0;
  [[nodiscard]] bool exists(const Path& path) { return stat(path).has_value(); }

  /// Copies a file, link or folder with everything below it, keeping permission bits and
  /// modification times; `to` must not exist. Links stay links. Sockets, pipes and devices are
  /// errors.
  virtual Status copy_tree(const Path& from, const Path& to) = 0;
  virtual Status hard_link(const Path& existing, const Path& link) = 0;
  /// Makes `link` point to `target`.
  virtual Status symbolic_link(const Path& target, const Path& link) = 0;
  /// Renames; an existing file at `to` is replaced.
  virtual Status rename(const Path& from, const Path& to) = 0;
  /// Removes a file or link; a missing one is a success.
  virtual Status remove(const Path& path) = 0;
  /// Removes a path and everything below it. Never follows a link, not even one that appears
  /// meanwhile; a missing path is a success.
  virtual Status remove_tree(const Path& path) = 0;

  virtual Result<DiskSpace> disk_space(const Path& path) = 0;

  /// Takes the lock on `path` (made with `mode` if missing); AlreadyExists if another process holds
  /// it.
  virtual Result<std::unique_ptr<FileLock>> try_lock(const Path& path, uint32_t mode = 0600) = 0;
  /// Waits for the lock on the loop; `done` comes once, never inside this call. The kernel wakes
  /// the wait as soon as the holder lets go or ends.
  [[nodiscard]] virtual std::unique_ptr<LockWait> wait_lock(
      const Path& path, uint32_t mode,
      std::function<void(Result<std::unique_ptr<FileLock>>)> done) = 0;
};

}  // namespace muster::os
