#include "client/follow/console_stream.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace muster::client {
namespace {

/// How long a reader may take nothing once a signal has come.
constexpr int kHurryMs = 500;
/// How much is kept while a signal is waiting to be handled: more than one turn of a loop writes.
constexpr size_t kKeptBytesMax = 4U << 20;

}  // namespace

ConsoleStream::Kind ConsoleStream::kind_of(int fd) {
  struct stat stat{};
  if (::fstat(fd, &stat) != 0) {
    return Kind::Other;
  }
  return S_ISFIFO(stat.st_mode) ? Kind::Pipe : S_ISSOCK(stat.st_mode) ? Kind::Socket : Kind::Other;
}

ConsoleStream::ConsoleStream(int fd) : fd_(fd), kind_(kind_of(fd)) {}

int ConsoleStream::give_way_to(int signals) {
  if (kind_ == Kind::Pipe && !unblocking_.valid()) {
    // If the pipe belongs to somebody else, this may fail; then we always wait for its reader.
    unblocking_ = rt::Fd(
        ::open(fmt::format("/proc/self/fd/{}", fd_).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  }
  return std::exchange(signals_, signals);
}

void ConsoleStream::write(std::string_view text) {
  if (!kept_.empty()) {
    kept_ += text;
    const std::string kept = std::exchange(kept_, {});
    kept_ = write_some(kept);
  } else {
    kept_ = write_some(text);
  }
  if (kept_.size() > kKeptBytesMax) {
    error_ = EAGAIN;
  }
  if (failed()) {
    kept_.clear();
  }
}

/// Returns what is left if a signal is pending.
std::string_view ConsoleStream::write_some(std::string_view text) {
  while (!text.empty() && !failed()) {
    const long written = write_now(text);
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      if (!wait()) {
        return text;
      }
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return text;
}

long ConsoleStream::write_now(std::string_view text) const {
  switch (kind_) {
    case Kind::Pipe:
      return ::write(unblocking_.valid() ? unblocking_.get() : fd_, text.data(), text.size());
    case Kind::Socket:
      return ::send(fd_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    case Kind::Other:
      break;
  }
  return ::write(fd_, text.data(), text.size());
}

bool ConsoleStream::signal_pending() const {
  pollfd signals{signals_, POLLIN, 0};
  return signals_ >= 0 && ::poll(&signals, 1, 0) > 0 && (signals.revents & POLLIN) != 0;
}

bool ConsoleStream::wait() {
  if (hurried_ && signal_pending()) {
    return false;
  }
  pollfd ready[2] = {{fd_, POLLOUT, 0}, {signals_, POLLIN, 0}};
  const int count = ::poll(ready, signals_ < 0 ? 1 : 2, hurried_ ? kHurryMs : -1);
  if (count == 0) {
    error_ = EAGAIN;
    return false;
  }
  if (count > 0 && ready[0].revents == 0) {
    hurried_ = true;
    return false;
  }
  return true;
}

}  // namespace muster::client
