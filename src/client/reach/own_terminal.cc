#include "client/reach/own_terminal.h"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

namespace muster::client {
namespace {

/// Resets what programs may have changed in a terminal to what shells expect: the normal screen,
/// scrolling as a whole, normal keys, a cursor, long lines that wrap, ASCII, no colours, no mouse,
/// no focus events, no marks around pasted text.
constexpr std::string_view kTerminalReset =
    "\x1b[?1047l\x1b"
    "7\x1b[r\x1b"
    "8\x1b[?1l\x1b>\x1b[?25h\x1b[?7h\x1b(B\x0f\x1b[m"
    "\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l"
    "\x1b[?2004l\x1b[>4m";

/// Leaves the alternate screen: the cursor is again where it was before that was shown.
constexpr std::string_view kOtherScreenLeft = "\x1b[?1049l";

/// Writes everything, whatever the descriptor's mode; stops if nobody takes it.
void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EAGAIN) {
      pollfd waits{.fd = fd, .events = POLLOUT, .revents = 0};
      (void)::poll(&waits, 1, -1);
    } else if (put < 0 && errno != EINTR) {
      return;
    }
    bytes.remove_prefix(put > 0 ? static_cast<size_t>(put) : 0);
  }
}

}  // namespace

std::optional<wire::TerminalSize> OwnTerminal::size() const {
  const auto size = os::window_size_of(options_.keys);
  return size ? std::optional(wire::TerminalSize{size->rows, size->columns}) : std::nullopt;
}

void OwnTerminal::take() {
  if (raw_ == nullptr) {
    raw_ = os::make_raw(options_.keys).value_or(nullptr);
  }
  if (raw_ != nullptr) {
    raw_->let_keys_wait(false);
  }
}

void OwnTerminal::let_keys_wait() {
  if (raw_ != nullptr) {
    raw_->let_keys_wait(true);
  }
}

void OwnTerminal::renew() {
  if (raw_ != nullptr) {
    raw_->renew();
  }
}

void OwnTerminal::join(std::string_view modes) {
  write_all(options_.screen, modes);
  modes_.take(modes);
}

void OwnTerminal::reset() {
  if (options_.name == "dumb" || ::isatty(options_.screen) != 1) {
    return;
  }
  if (modes_.on_other_screen()) {
    write_all(options_.screen, kOtherScreenLeft);
  }
  write_all(options_.screen, kTerminalReset);
  modes_ = {};
}

void OwnTerminal::give_back() {
  if (taken()) {
    reset();
  }
  return_keys();
}

}  // namespace muster::client
