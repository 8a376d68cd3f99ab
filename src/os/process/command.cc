#include "os/process/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

using Clock = std::chrono::steady_clock;

Error took_too_long() {
  return Error{Errc::DeadlineExceeded, Blame::Cluster, "it took too long and was killed"};
}

/// A program that has closed its output is almost always about to end.
Result<std::optional<Exit>> reap_until(Pid pid, Clock::time_point until) {
  while (true) {
    MUSTER_TRY(std::optional<Exit> exit, try_reap(pid));
    if (exit.has_value() || Clock::now() >= until) {
      return exit;
    }
    ::poll(nullptr, 0, 1);
  }
}

/// Reads until the end of the stream; an error if that takes too long or too many bytes.
Result<std::string> read_output(int fd, Clock::time_point until, size_t limit_bytes) {
  std::string text;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) {
      return took_too_long();
    }
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left.count(), 1'000'000))) <= 0) {
      continue;
    }
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got == 0) {
      return text;
    }
    if (got < 0 && errno != EAGAIN && errno != EINTR) {
      return system_error(errno, "cannot read its output");
    }
    text.append(buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (text.size() > limit_bytes) {
      return cluster_error(fmt::format("it printed more than {} bytes", limit_bytes), Errc::Other);
    }
  }
}

}  // namespace

Result<CommandOutput> run_command(SpawnOptions options, Duration deadline, size_t limit_bytes) {
  options.stdout_to = ToPipe{};
  options.grouping = Grouping::NewGroup;  // So that its own children can be ended with it.
  MUSTER_TRY(const Spawned spawned, spawn(options));
  const Clock::time_point until = Clock::now() + deadline;
  auto text = read_output(spawned.stdout_pipe.get(), until, limit_bytes);
  std::optional<Exit> exit;
  if (text.has_value()) {
    MUSTER_TRY(exit, reap_until(spawned.pid, until));
  }
  if (!exit.has_value()) {
    ::kill(-spawned.pid.value, SIGKILL);
    MUSTER_TRY(exit, reap(spawned.pid));
    const Error cause = text.has_value() ? took_too_long() : std::move(text).error();
    return cause.within(options.argv.front());
  }
  return CommandOutput{.exit = *exit, .stdout_text = std::move(text).value()};
}

}  // namespace muster::os
