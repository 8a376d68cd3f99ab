#include "client/console.h"

#include "base/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace muster::client {

Console::Console(Screen screen, int out_fd, int err_fd)
    : screen_(screen), out_fd_(out_fd), err_fd_(err_fd) {}

Console::~Console() { clear_status(); }

void Console::out(std::string_view text) {
  // The status line stands on standard error; it is only in the way when both are the same
  // terminal.
  const bool redraw = status_drawn_ && screen_.out_is_terminal;
  if (redraw) {
    clear_status();
  }
  write(out_fd_, text, out_failed_);
  if (redraw) {
    draw_status();
  }
}

void Console::err(std::string_view text) {
  clear_status();
  write(err_fd_, text, err_failed_);
  draw_status();
}

void Console::status(std::string_view text) {
  if (!screen_.err_is_terminal || text == status_) {
    return;
  }
  clear_status();
  status_ = printable(text);
  draw_status();
}

void Console::clear_status() {
  if (status_drawn_) {
    write(err_fd_, "\r\x1b[K", err_failed_);
    status_drawn_ = false;
  }
}

void Console::draw_status() {
  if (status_.empty() || !screen_.err_is_terminal) {
    return;
  }
  std::string line = status_;
  size_t columns = 0;
  size_t bytes = 0;
  while (bytes < line.size() && columns + 1 < screen_.width) {
    ++bytes;
    while (bytes < line.size() && (static_cast<unsigned char>(line[bytes]) & 0xC0) == 0x80) {
      ++bytes;
    }
    ++columns;
  }
  line.resize(bytes);
  write(err_fd_, line, err_failed_);
  status_drawn_ = true;
}

void Console::write(int fd, std::string_view text, bool& failed) {
  while (!text.empty() && !failed) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
      continue;
    }
    if (errno == EINTR) {
      continue;
    }
    if (errno == EAGAIN) {
      // Somebody else made the terminal non-blocking; waiting here is what a blocking write would
      // do.
      pollfd waiting{fd, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
      continue;
    }
    failed = true;
    out_errno_ = fd == out_fd_ ? errno : out_errno_;
  }
}

std::string paint(std::string_view text, std::string_view code, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace muster::client
