#pragma once

#include "base/result.h"
#include "rt/fd.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <utility>

namespace muster::client {

/// Locks a file or folder that this process has just made, for as long as `fd` is open. Returns
/// false if another copy took it for something left behind and is removing it. True if the file
/// system has no locks.
[[nodiscard]] bool lock_new(int fd);

/// A file that gets its name only when all of it is there; until then an existing file of that name
/// stays. If the file system supports files without a name, it has none meanwhile and vanishes with
/// this process, however that ends. Otherwise it is NAME.muster-XXXXXX, which stays behind if this
/// process is killed: it is locked while it is being written, and the next copy to that name
/// removes any that are not locked.
class PartFile {
 public:
  struct Options {
    std::filesystem::path target;
    bool nameless = true;  ///< Where the file system can.
  };

  /// Readable by this user alone, until keep(). Errors are those of the folder.
  [[nodiscard]] static Result<PartFile> create(Options options);
  PartFile(PartFile&& other) noexcept
      : target_(std::move(other.target_)),
        fd_(std::move(other.fd_)),
        name_(std::exchange(other.name_, {})) {}
  PartFile& operator=(PartFile&&) = delete;
  /// Drops it, if it has not been kept.
  ~PartFile();

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Returns how much has been written to it; 0 if that is not known.
  [[nodiscard]] uint64_t size_bytes() const;
  /// Cuts off and returns the last `size` bytes; fewer if there are not that many.
  [[nodiscard]] std::string take_end(size_t size) const;
  /// Gives it the target's name, replacing an existing file and keeping its permissions; a new file
  /// gets `permissions`, as this user's umask allows. Call once.
  [[nodiscard]] Status keep(mode_t permissions = 0666);

 private:
  PartFile(std::filesystem::path target, rt::Fd fd, std::string name)
      : target_(std::move(target)), fd_(std::move(fd)), name_(std::move(name)) {}

  [[nodiscard]] Status broken() const;

  std::filesystem::path target_;
  rt::Fd fd_;
  std::string name_;  ///< "" while it has none.
};

}  // namespace muster::client
