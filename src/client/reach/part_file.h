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

/// Locks a file or folder that this process has just made, for as long as `fd` is open. False if
/// another copy has taken it for something left behind, and removes it. True where the file system
/// has no locks.
[[nodiscard]] bool lock_new(int fd);

/// A file that gets its name when all of it is there; until then the name's old file stays. Where
/// the file system can have files without a name it has none meanwhile, and vanishes with this
/// process however that ends. Elsewhere it is NAME.muster-XXXXXX, which stays behind when this
/// process is killed: it is locked while somebody writes it, and the next copy to that name removes
/// what nobody has locked.
class PartFile {
 public:
  struct Options {
    std::filesystem::path target;
    bool nameless = true;  ///< Where the file system can.
  };

  /// For this user alone, until keep(). Errors: the folder's.
  [[nodiscard]] static Result<PartFile> create(Options options);
  PartFile(PartFile&& other) noexcept
      : target_(std::move(other.target_)),
        fd_(std::move(other.fd_)),
        name_(std::exchange(other.name_, {})) {}
  PartFile& operator=(PartFile&&) = delete;
  /// Drops it, if it has not been kept.
  ~PartFile();

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// What has been written to it; 0 where that is not known.
  [[nodiscard]] uint64_t size_bytes() const;
  /// Cuts the last `size` bytes off and returns them; fewer where there were not so many.
  [[nodiscard]] std::string take_end(size_t size) const;
  /// Gives it the target's name, in place of what has that, whose permissions it keeps; those of a
  /// new file are `permissions`, as this user's mask allows. Once.
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
