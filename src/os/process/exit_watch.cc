#include "os/process/exit_watch.h"

#include "rt/fd.h"

#include <cerrno>
#include <csignal>
#include <mutex>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

class PidfdWatch final : public ExitWatch {
 public:
  PidfdWatch(rt::IoLoop& loop, rt::Fd fd, std::function<void()> ended)
      : fd_(std::move(fd)), ended_(std::move(ended)) {
    watch_ = loop.watch(fd_.get(), rt::Interest::Read, [this] {
      watch_.reset();
      const std::function<void()> call = std::move(ended_);
      call();  // May destroy this object.
    });
  }

 private:
  rt::Fd fd_;
  std::function<void()> ended_;
  std::unique_ptr<rt::FdWatch> watch_;  // Last: it ends before its descriptor closes.
};

/// A thread per child. It outlives the watch if the child does: a wait cannot be cancelled.
class ThreadWatch final : public ExitWatch {
 public:
  ThreadWatch(rt::IoLoop& loop, std::function<void()> ended) : shared_(std::make_shared<Shared>()) {
    shared_->loop = &loop;
    shared_->ended = std::move(ended);
  }
  ~ThreadWatch() override {
    const std::lock_guard lock(shared_->mutex);
    shared_->loop = nullptr;
  }

  Status start(Pid child) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // Signals belong to the loop's thread.
    Status status;
    try {
      // A wait cannot be cancelled, and must not hold up the end of this process.
      std::thread(wait, shared_, child).detach();  // lint: allow(detached) see above
    } catch (const std::system_error& error) {
      status =
          system_error(error.code().value(), "cannot start a thread to wait for a child process");
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return status;
  }

 private:
  struct Shared {
    std::mutex mutex;
    rt::IoLoop* loop = nullptr;  // nullptr once the watch is gone.
    std::function<void()> ended;
  };

  static void wait(const std::shared_ptr<Shared>& shared, Pid child) {
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(child.value), &info, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
    const std::lock_guard lock(shared->mutex);
    if (shared->loop != nullptr) {
      shared->loop->post([shared] {
        // On the loop's thread, where the watch lives.
        if (shared->loop != nullptr) {
          shared->ended();
        }
      });
    }
  }

  std::shared_ptr<Shared> shared_;
};

}  // namespace

Result<std::unique_ptr<ExitWatch>> watch_exit(rt::IoLoop& loop, Pid child,
                                              std::function<void()> ended) {
  rt::Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, child.value, 0)));
  if (fd.valid()) {
    return std::make_unique<PidfdWatch>(loop, std::move(fd), std::move(ended));
  }
  if (errno != ENOSYS && errno != EPERM) {
    return system_error(errno, "cannot watch a child process");
  }
  auto watch = std::make_unique<ThreadWatch>(loop, std::move(ended));
  MUSTER_TRY_STATUS(watch->start(child));
  return watch;
}

}  // namespace muster::os
