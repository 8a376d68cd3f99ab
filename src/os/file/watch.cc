#include "os/file/watch.h"

#include "os/file/local_files.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <sys/inotify.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

class InotifyWatch final : public FileWatch {
 public:
  InotifyWatch(rt::IoLoop& loop, rt::Fd fd, std::function<void()> changed)
      : fd_(std::move(fd)), changed_(std::move(changed)) {
    watch_ = loop.watch(fd_.get(), rt::Interest::Read, [this] { read_events(); });
  }

 private:
  void read_events() {
    std::array<char, 4096> events{};
    bool any = false;
    while (::read(fd_.get(), events.data(), events.size()) > 0) {
      any = true;
    }
    if (any) {
      const std::function<void()> call = changed_;
      call();  // May destroy this object.
    }
  }

  rt::Fd fd_;
  std::function<void()> changed_;
  std::unique_ptr<rt::FdWatch> watch_;  // Last: it ends before its descriptor closes.
};

/// Polls size and time.
class PollingWatch final : public FileWatch {
 public:
  PollingWatch(rt::IoLoop& loop, Path path, std::function<void()> changed)
      : loop_(loop), path_(std::move(path)), changed_(std::move(changed)), last_(look()) {
    again();
  }
  ~PollingWatch() override { loop_.cancel(timer_); }

 private:
  using Seen = std::pair<uint64_t, WallTime>;

  [[nodiscard]] Seen look() const {
    const auto stat = make_local_files(nullptr)->stat(path_);
    return stat.has_value() ? Seen(stat->size_bytes, stat->modified) : Seen();
  }
  void again() {
    timer_ = loop_.call_after(std::chrono::milliseconds(100), [this] {
      again();
      const Seen seen = look();
      if (seen != last_) {
        last_ = seen;
        const std::function<void()> call = changed_;
        call();  // May destroy this object.
      }
    });
  }

  rt::IoLoop& loop_;
  Path path_;
  std::function<void()> changed_;
  Seen last_;
  rt::TimerId timer_;
};

}  // namespace

Result<std::unique_ptr<FileWatch>> watch_file(rt::IoLoop& loop, const Path& path,
                                              std::function<void()> changed) {
  MUSTER_TRY_STATUS(make_local_files(nullptr)->stat(path));
  rt::Fd fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  constexpr uint32_t kChanges = IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE |
                                IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF;
  if (fd.valid() && ::inotify_add_watch(fd.get(), path.c_str(), kChanges) >= 0) {
    return std::make_unique<InotifyWatch>(loop, std::move(fd), std::move(changed));
  }
  return std::make_unique<PollingWatch>(loop, path, std::move(changed));
}

}  // namespace muster::os
