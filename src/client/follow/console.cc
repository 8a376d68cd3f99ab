#include "client/follow/console.h"

#include "base/text.h"
#include "client/show/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <utility>

namespace muster::client {
namespace {

constexpr size_t kHeldBytesMax = 64U << 10;

bool are_one_place(int one, int other) {
  struct stat first{};
  struct stat second{};
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

Console::Console(Screen screen, int out_fd, int err_fd)
    : screen_(screen), out_(out_fd), err_(err_fd), one_place_(are_one_place(out_fd, err_fd)) {}

Console::~Console() {
  write_waiting();
  clear_status();
}

int Console::give_way_to(int signals) {
  (void)out_.give_way_to(signals);
  return err_.give_way_to(signals);
}

void Console::hurry() {
  out_.hurry();
  err_.hurry();
}

void Console::out(std::string_view text) {
  write_waiting();
  // The status is on standard error; it is in the way only if both are the same terminal.
  const bool redraw = rows_drawn_ > 0 && screen_.out_is_terminal;
  if (redraw) {
    clear_status();
  }
  out_.write(console_text(text));
  if (redraw) {
    draw_status();
  }
}

void Console::err(std::string_view text) {
  if (amid_line() && on_waiting_) {
    const bool first = waiting_.empty() && held_.empty();
    waiting_ += text;
    if (first) {
      on_waiting_();
    }
    return;
  }
  write_lines(text);
}

void Console::write_lines(std::string_view text) {
  clear_status();
  if (amid_line()) {
    err_.write("\n");
    err_amid_line_ = false;
    out_amid_line_ = out_amid_line_ && !one_place_;
  }
  err_.write(console_text(text));
  draw_status();
}

void Console::pass(std::string_view bytes, bool to_err) {
  if (bytes.empty()) {
    return;
  }
  if (must_wait(to_err)) {
    hold(bytes, to_err);
    return;
  }
  const bool anything_waits = !waiting_.empty() || !held_.empty();
  const bool amid = to_err ? err_amid_line_ : out_amid_line_;
  const size_t line_end = anything_waits && amid ? bytes.find('\n') : std::string_view::npos;
  if (line_end != std::string_view::npos) {
    write_bytes(bytes.substr(0, line_end + 1), to_err);
    bytes.remove_prefix(line_end + 1);
    if (!amid_line()) {
      write_waiting();
    }
    if (must_wait(to_err) && !bytes.empty()) {
      hold(bytes, to_err);
      return;
    }
  }
  if (!bytes.empty()) {
    write_bytes(bytes, to_err);
  }
}

void Console::write_bytes(std::string_view bytes, bool to_err) {
  (to_err ? err_ : out_).write(bytes);
  (to_err ? err_amid_line_ : out_amid_line_) = bytes.back() != '\n';
}

bool Console::must_wait(bool to_err) const {
  return one_place_ && on_waiting_ && (to_err ? out_amid_line_ : err_amid_line_);
}

void Console::hold(std::string_view bytes, bool to_err) {
  const bool first = waiting_.empty() && held_.empty();
  held_ += bytes;
  held_is_err_ = to_err;
  if (held_.size() > kHeldBytesMax) {
    write_waiting();
  } else if (first) {
    on_waiting_();
  }
}

void Console::let_lines_end(std::function<void()> waiting) {
  on_waiting_ = std::move(waiting);
  if (!on_waiting_) {
    write_waiting();
  }
}

void Console::write_waiting() {
  if (!held_.empty()) {
    (held_is_err_ ? out_amid_line_ : err_amid_line_) = false;  // Another line begins.
    write_bytes(std::exchange(held_, {}), held_is_err_);
  }
  if (!waiting_.empty()) {
    write_lines(std::exchange(waiting_, {}));
  }
}

void Console::status(std::string_view text) {
  if (!screen_.err_is_terminal || text == status_) {
    return;
  }
  clear_status();
  status_ = printable(text);
  draw_status();
}

void Console::moving(std::vector<std::string> lines) {
  if (!screen_.err_is_terminal || lines == moving_) {
    return;
  }
  clear_status();
  moving_ = std::move(lines);
  draw_status();
}

void Console::clear_status() {
  if (rows_drawn_ == 0) {
    return;
  }
  const std::string up = rows_drawn_ > 1 ? fmt::format("\x1b[{}A", rows_drawn_ - 1) : "";
  err_.write("\r" + up + "\x1b[J");
  rows_drawn_ = 0;
}

void Console::draw_status() {
  if (!screen_.err_is_terminal) {
    return;
  }
  // A line as wide as the terminal would wrap, and could no longer be cleared.
  const unsigned columns = width() - 1;
  std::string drawn;
  const auto add = [&](std::string_view line) {
    drawn += rows_drawn_ > 0 ? "\n" : "";
    drawn += cut_to_columns(line, columns);
    ++rows_drawn_;
  };
  for (const std::string& line : moving_) {
    add(line);
  }
  if (!status_.empty()) {
    add(status_);
  }
  if (!drawn.empty()) {
    err_.write(drawn);
  }
}

unsigned Console::width() const {
  winsize size{};
  const bool known = ::ioctl(err_.fd(), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return std::max(known ? size.ws_col : screen_.width, 2U);
}

std::string paint(std::string_view text, std::string_view code, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace muster::client
