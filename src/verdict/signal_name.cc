#include "verdict/signal_name.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace muster::verdict {
namespace {

constexpr int32_t kShellBase = 128;

constexpr std::array<std::string_view, 32> kNames = {
    "",          "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
    "SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
    "SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
    "SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS"};

bool is_named(int32_t number) { return number > 0 && number < static_cast<int32_t>(kNames.size()); }

}  // namespace

std::string signal_name(int32_t number) {
  return is_named(number) ? fmt::format("{} ({})", kNames[static_cast<size_t>(number)], number)
                          : fmt::format("signal {}", number);
}

std::optional<int32_t> signal_behind(const job::Exit& exit) {
  if (exit.signal) {
    return exit.signal;
  }
  const int32_t code = exit.exit_code.value_or(0);
  return is_named(code - kShellBase) ? std::optional(code - kShellBase) : std::nullopt;
}

}  // namespace muster::verdict
