#include "os/process/terminal_mode.h"

#include <cerrno>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

class RestoredTerminal final : public RawTerminal {
 public:
  RestoredTerminal(int fd, const termios& before, const termios& raw)
      : fd_(fd), before_(before), raw_(raw), waiting_(raw) {
    waiting_.c_lflag |= ISIG;
    waiting_.c_cc[VSUSP] = _POSIX_VDISABLE;  // Like other keys, it is for whoever gets them.
    waiting_.c_oflag = before.c_oflag;
  }
  // Waiting keys were meant for the program that was cut off; a shell here would run them.
  ~RestoredTerminal() override {
    (void)::tcsetattr(fd_, keys_wait_ ? TCSAFLUSH : TCSADRAIN, &before_);
  }
  RestoredTerminal(const RestoredTerminal&) = delete;
  RestoredTerminal& operator=(const RestoredTerminal&) = delete;
  void let_keys_wait(bool wait) override {
    if (std::exchange(keys_wait_, wait) != wait) {
      renew();
    }
  }
  void renew() override { (void)::tcsetattr(fd_, TCSADRAIN, keys_wait_ ? &waiting_ : &raw_); }

 private:
  int fd_;
  termios before_;
  termios raw_;
  termios waiting_;
  bool keys_wait_ = false;
};

}  // namespace

std::optional<WindowSize> window_size_of(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0) {
    return std::nullopt;
  }
  return WindowSize{.rows = size.ws_row, .columns = size.ws_col};
}

Result<std::unique_ptr<RawTerminal>> make_raw(int fd) {
  termios before{};
  if (::tcgetattr(fd, &before) != 0) {
    return system_error(errno, "cannot read the terminal's settings");
  }
  termios raw = before;
  ::cfmakeraw(&raw);
  if (::tcsetattr(fd, TCSADRAIN, &raw) != 0) {
    return system_error(errno, "cannot change the terminal's settings");
  }
  return std::make_unique<RestoredTerminal>(fd, before, raw);
}

}  // namespace muster::os
