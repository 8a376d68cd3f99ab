#include "os/file/file_lock.h"

#include "rt/fd.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

/// The signal that interrupts a thread waiting in the kernel. Nobody else sends it to our threads.
int wake_signal() { return SIGRTMIN + 3; }

class HeldLock final : public FileLock {
 public:
  explicit HeldLock(rt::Fd fd) : fd_(std::move(fd)) {}

 private:
  rt::Fd fd_;
};

struct flock whole_file() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Locks the open file description. Before Linux 3.15 there are only flock's locks, which are just
/// as good on local disks.
int set_lock(int fd, bool wait) {
  struct flock lock = whole_file();
  const int done = ::fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
  if (done != 0 && errno == EINVAL) {
    return ::flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB));
  }
  return done;
}

Result<rt::Fd> open_lock_file(const Path& path, uint32_t mode) {
  rt::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!fd.valid()) {
    return system_error(errno, fmt::format("cannot open the lock {}", path.string()));
  }
  return fd;
}

Error lock_error(int error, const Path& path) {
  return system_error(error, fmt::format("cannot take the lock {}", path.string()));
}

/// Waits in the kernel on a thread of its own, so that it wakes at once when the holder ends.
class ThreadLockWait final : public LockWait {
 public:
  using Done = std::function<void(Result<std::unique_ptr<FileLock>>)>;

  ThreadLockWait(rt::Loop& loop, Done done) : shared_(std::make_shared<Shared>()) {
    shared_->loop = &loop;
    shared_->done = std::move(done);
  }

  ~ThreadLockWait() override {
    shared_->done = nullptr;  // Read on this thread only.
    shared_->given_up = true;
    // A signal that arrives just before the thread enters the kernel is lost, so send until the
    // thread has ended.
    std::unique_lock guard(shared_->mutex);
    while (thread_.joinable() && !shared_->ended) {
      ::pthread_kill(thread_.native_handle(), wake_signal());
      shared_->changed.wait_for(guard, std::chrono::milliseconds(1));
    }
    guard.unlock();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  void start(rt::Fd fd, const Path& path) {
    struct sigaction action{};
    action.sa_handler = [](int) {};  // Without SA_RESTART: the wait ends with EINTR.
    ::sigaction(wake_signal(), &action, nullptr);
    sigset_t others;
    sigset_t before;
    sigfillset(&others);
    sigdelset(&others, wake_signal());
    ::pthread_sigmask(SIG_SETMASK, &others, &before);  // The thread inherits it.
    thread_ = std::thread([shared = shared_, path, fd = std::move(fd)]() mutable {
      wait(shared, path, std::move(fd));
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  /// Reports an error instead of waiting.
  void fail(Error error) { report(shared_, std::move(error)); }

 private:
  struct Shared {
    rt::Loop* loop = nullptr;
    Done done;  // Used on the loop's thread only.
    std::atomic<bool> given_up = false;
    std::mutex mutex;
    std::condition_variable changed;
    bool ended = false;  // The thread no longer waits. Under the mutex.
  };

  static void report(const std::shared_ptr<Shared>& shared,
                     Result<std::unique_ptr<FileLock>> result) {
    shared->loop->post([shared, told = std::move(result)]() mutable {
      if (shared->done) {
        const Done done = std::move(shared->done);
        shared->done = nullptr;
        done(std::move(told));
      }
    });
  }

  static void wait(const std::shared_ptr<Shared>& shared, const Path& path, rt::Fd fd) {
    int error = EINTR;
    while (error == EINTR && !shared->given_up) {
      error = set_lock(fd.get(), true) == 0 ? 0 : errno;
    }
    // Post before setting `ended`: the destructor's caller may destroy the loop right after that.
    if (!shared->given_up && error == 0) {
      report(shared, std::make_unique<HeldLock>(std::move(fd)));
    } else if (!shared->given_up) {
      report(shared, lock_error(error, path));
    }
    const std::lock_guard guard(shared->mutex);
    shared->ended = true;
    shared->changed.notify_all();
  }

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<FileLock>> try_file_lock(const Path& path, uint32_t mode) {
  MUSTER_TRY(rt::Fd fd, open_lock_file(path, mode));
  if (set_lock(fd.get(), false) == 0) {
    return std::make_unique<HeldLock>(std::move(fd));
  }
  if (errno == EAGAIN || errno == EACCES) {
    return Error{Errc::AlreadyExists, Blame::Cluster,
                 fmt::format("{} is locked by another process", path.string())};
  }
  return lock_error(errno, path);
}

std::unique_ptr<LockWait> wait_file_lock(
    rt::Loop& loop, const Path& path, uint32_t mode,
    std::function<void(Result<std::unique_ptr<FileLock>>)> done) {
  auto wait = std::make_unique<ThreadLockWait>(loop, std::move(done));
  auto fd = open_lock_file(path, mode);
  if (!fd.has_value()) {
    wait->fail(std::move(fd).error());
    return wait;
  }
  try {
    wait->start(std::move(fd).value(), path);
  } catch (const std::system_error& error) {
    wait->fail(system_error(error.code().value(), "cannot start a thread to wait for a lock"));
  }
  return wait;
}

}  // namespace muster::os
