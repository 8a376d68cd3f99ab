#include "cluster/local/job_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace muster::cluster::local {
namespace {

struct flock write_lock() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Result<rt::Fd> take_job_lock(const std::filesystem::path& path) {
  rt::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return system_error(errno, "cannot open the job's lock: " + path.string());
  }
  struct flock lock = write_lock();
  if (::fcntl(fd.get(), F_OFD_SETLK, &lock) == 0) {
    return fd;
  }
  if (errno == EAGAIN || errno == EACCES) {
    return Error{Errc::AlreadyExists, Blame::User, "the job already has a master"};
  }
  return system_error(errno, "cannot take the job's lock: " + path.string());
}

bool job_lock_is_held(const std::filesystem::path& path) {
  const rt::Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) {
    return false;
  }
  struct flock lock = write_lock();
  return ::fcntl(fd.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace muster::cluster::local
