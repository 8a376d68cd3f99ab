#include "client/submit/environment.h"

#include "os/host/identity.h"

#include <algorithm>
#include <charconv>
#include <sys/ioctl.h>
#include <unistd.h>

namespace muster::client {
namespace {

/// Returns the name of the terminal of `fd` without "/dev/", or "".
std::string terminal_name(int fd) {
  char name[64];
  if (ttyname_r(fd, name, sizeof name) != 0) {
    return {};
  }
  std::string_view text(name);
  if (text.starts_with("/dev/")) {
    text.remove_prefix(5);
  }
  return std::string(text);
}

unsigned number_of(const std::optional<std::string>& text) {
  unsigned value = 0;
  if (text) {
    std::from_chars(text->data(), text->data() + text->size(), value);
  }
  return value;
}

}  // namespace

Environment::Environment(char** variables) {
  for (char** entry = variables; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      variables_.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
}

std::optional<std::string> Environment::find(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::filesystem::path> Environment::muster_home() const {
  std::error_code error;
  if (const auto home = find("MUSTER_HOME"); home && !home->empty()) {
    return std::filesystem::absolute(*home, error);
  }
  if (const auto home = find("HOME"); home && !home->empty()) {
    return std::filesystem::absolute(std::filesystem::path(*home) / ".muster", error);
  }
  return user_error(
      "cannot tell where jobs are kept: neither MUSTER_HOME nor HOME is set; set MUSTER_HOME to a "
      "folder of your own");
}

Screen Environment::screen() const {
  Screen screen;
  screen.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  screen.err_is_terminal = isatty(STDERR_FILENO) == 1;
  const auto no_color = find("NO_COLOR");
  const bool dumb = find("TERM") == "dumb";
  screen.colour = screen.out_is_terminal && !(no_color && !no_color->empty()) && !dumb;
  screen.err_is_terminal = screen.err_is_terminal && !dumb;
  winsize size{};
  if (screen.err_is_terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    screen.width = size.ws_col;
  }
  if (const unsigned columns = number_of(find("COLUMNS")); columns > 0) {
    screen.width = columns;
  }
  screen.width = std::clamp(screen.width, 20U, 1000U);
  return screen;
}

std::string Environment::who() const {
  std::string who = os::user_name({variables_.begin(), variables_.end()});
  if (number_of(who) > 0) {
    who = "uid " + who;  // No user database knows them.
  }
  const std::string terminal = terminal_name(STDIN_FILENO);
  return terminal.empty() ? who : who + " on " + terminal;
}

}  // namespace muster::client
