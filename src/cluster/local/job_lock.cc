#include "cluster/local/job_lock.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

namespace muster::cluster::local {
namespace {

struct flock write_lock() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

Status lock(const rt::Fd& fd, const std::filesystem::path& path) {
  struct flock wanted = write_lock();
  if (::fcntl(fd.get(), F_OFD_SETLK, &wanted) == 0) {
    return {};
  }
  if (errno == EAGAIN || errno == EACCES) {
    return Error{Errc::AlreadyExists, Blame::User, "the job already has a master"};
  }
  return system_error(errno, "cannot take the job's lock: " + path.string());
}

Result<rt::Fd> open_and_lock(const std::filesystem::path& path, int flags) {
  rt::Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
  if (!fd.valid()) {
    return system_error(errno, "cannot open the job's lock: " + path.string());
  }
  MUSTER_TRY_STATUS(lock(fd, path));
  return fd;
}

/// Creates the file under a unique name, locks it, and links it to its real name. nullopt: somebody
/// was faster, or that file system has no hard links.
Result<std::optional<rt::Fd>> make_taken(const std::filesystem::path& path) {
  std::string own = path.string() + ".XXXXXX";
  rt::Fd fd(::mkostemp(own.data(), O_CLOEXEC));
  if (!fd.valid()) {
    return system_error(errno, "cannot make the job's lock: " + own);
  }
  const Status locked = lock(fd, path);
  const bool named = locked && ::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, path.c_str(), 0) == 0;
  ::unlink(own.c_str());
  MUSTER_TRY_STATUS(locked);
  return named ? std::optional(std::move(fd)) : std::nullopt;
}

}  // namespace

Result<rt::Fd> take_job_lock(const std::filesystem::path& path) {
  Result<rt::Fd> taken = open_and_lock(path, 0);
  if (taken || taken.error().code != Errc::NotFound) {
    return taken;
  }
  MUSTER_TRY(std::optional<rt::Fd> made, make_taken(path));
  return made ? Result<rt::Fd>(std::move(*made)) : open_and_lock(path, O_CREAT);
}

bool job_lock_is_held(const std::filesystem::path& path) {
  const rt::Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) {
    return false;
  }
  struct flock lock = write_lock();
  return ::fcntl(fd.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool wait_for_job_lock(const std::filesystem::path& path, Duration patience) {
  constexpr Duration kBetweenLooks = std::chrono::milliseconds(5);
  for (Duration waited{}; job_lock_is_held(path); waited += kBetweenLooks) {
    if (waited >= patience) {
      return false;
    }
    // lint: allow(sleep) the kernel's own wait for a lock knows no deadline
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

}  // namespace muster::cluster::local
