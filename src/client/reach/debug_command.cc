#include "base/text.h"
#include "client/commands.h"
#include "client/reach/exec_run.h"
#include "client/reach/own_py_spy.h"
#include "client/show/failure.h"
#include "spec/duration_text.h"
#include "stacks/debug_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

constexpr uint32_t kRateMax = 1000;
constexpr int64_t kSecondsMax = 3600;

/// The format of a task's profile, and its file's ending here.
struct Profile {
  std::string format;  ///< As py-spy calls it.
  std::string ending;
};

/// Runs the probe; if it has no py-spy, once more with the one of this machine, if there is one.
int run_probe(Session& session, const DebugOptions& command, ExecPlan plan) {
  const std::string tool = plan.terminal ? std::string() : own_py_spy(session);
  plan.reads_input = plan.terminal.has_value();
  if (tool.empty()) {
    return run_in_tasks(session, command.id, command.on, plan);
  }
  ExecPlan first = plan;
  first.arguments.emplace_back("--or-ask");
  const int status = run_in_tasks(session, command.id, command.on, first);
  if (status != stacks::kNoPySpy) {
    return status;
  }
  const int file = ::memfd_create("py-spy", MFD_CLOEXEC);
  size_t written = 0;
  while (file >= 0 && written < tool.size()) {
    const ssize_t put = ::write(file, tool.data() + written, tool.size() - written);
    if (put <= 0) {
      break;
    }
    written += static_cast<size_t>(put);
  }
  if (file < 0 || written < tool.size() || ::lseek(file, 0, SEEK_SET) != 0) {
    ::close(file);
    return fail(session.console, system_error(errno, "cannot keep py-spy in memory"));
  }
  plan.reads_input = true;
  plan.input = file;
  plan.arguments.emplace_back("--tool-from-stdin");
  const int again = run_in_tasks(session, command.id, command.on, plan);
  ::close(file);
  return again;
}

/// "worker-0.svg" for worker:0, or the name that the user wants.
std::string file_of(const DebugOptions& command, const std::string& ending) {
  if (!command.output.empty()) {
    return command.output;
  }
  std::string name = command.task.empty() ? "task" : command.task;
  std::ranges::replace(name, ':', '-');
  return name + ending;
}

/// Writes to a file that gets its name only when it is whole.
int write_profile(Session& session, const DebugOptions& command, ExecPlan plan,
                  const Profile& profile) {
  const std::string target = file_of(command, profile.ending);
  std::string part = target + ".muster-XXXXXX";
  const int file = ::mkostemp(part.data(), O_CLOEXEC);
  if (file < 0) {
    return fail(
        session.console,
        user_error(system_error(errno, fmt::format("cannot write {}", printable(target))).message));
  }
  plan.output = file;
  plan.arguments.insert(plan.arguments.end(), {"--format", profile.format});
  int status = run_probe(session, command, plan);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool kept = ::fchmod(file, 0666 & ~mask) == 0 && ::close(file) == 0;
  if (status == 0 && (!kept || ::rename(part.c_str(), target.c_str()) != 0)) {
    status = fail(session.console,
                  system_error(errno, fmt::format("cannot write {}", printable(target))));
  }
  if (status != 0) {
    ::unlink(part.c_str());
    return status;
  }
  session.console.out(target + "\n");
  return 0;
}

int show_dump(Session& session, const DebugOptions& command) {
  StacksOptions stacks;
  stacks.id = command.id;
  stacks.on = command.on;
  stacks.native = command.native;
  if (!command.task.empty()) {
    stacks.tasks = {command.task};
  }
  return show_stacks(session, stacks);
}

/// Returns the plan that is common to all of the probe's uses.
Result<ExecPlan> plan_of_probe(const DebugOptions& command) {
  MUSTER_TRY(const Duration wait, spec::parse_duration(command.wait));
  Result<Duration> time = spec::parse_duration(command.seconds);
  const auto seconds =
      time ? std::chrono::duration_cast<std::chrono::seconds>(*time).count() : int64_t{0};
  if (seconds < 1 || seconds > kSecondsMax) {
    return user_error(
        fmt::format("--time: must be 1s to 1h, not `{}`", printable(command.seconds)));
  }
  const uint32_t rate = command.rate.value_or(100);
  if (rate < 1 || rate > kRateMax) {
    return user_error(
        fmt::format("--rate: must be 1 to {} samples a second, not {}", kRateMax, rate));
  }
  ExecPlan plan;
  plan.way = spec::Reach::Debug;
  plan.wait = wait;
  if (!command.task.empty()) {
    plan.tasks = {command.task};
  }
  plan.arguments = stacks::debug_command();
  const bool records = command.what == "record" || command.what == "flame";
  plan.arguments.emplace_back(records ? "profile" : command.what == "top" ? "watch" : "attach");
  if (records) {
    plan.arguments.insert(plan.arguments.end(),
                          {"--seconds", std::to_string(seconds), "--rate", std::to_string(rate)});
  }
  if (command.native) {
    plan.arguments.emplace_back("--native");
  }
  if (command.pid) {
    plan.arguments.insert(plan.arguments.end(), {"--pid", std::to_string(*command.pid)});
  }
  return plan;
}

}  // namespace

int debug_task(Session& session, const DebugOptions& typed) {
  DebugOptions command = typed;
  // The task may have been left out.
  constexpr std::array<std::string_view, 5> kWhats = {"dump", "record", "top", "flame", "gdb"};
  if (std::ranges::find(kWhats, command.task) != kWhats.end()) {
    command.what = std::exchange(command.task, "");
  }
  if (command.what == "dump") {
    return show_dump(session, command);
  }
  Result<ExecPlan> plan = plan_of_probe(command);
  if (!plan) {
    return fail(session.console, plan.error());
  }
  if (command.what == "record") {
    return write_profile(session, command, *std::move(plan), {"speedscope", ".speedscope.json"});
  }
  if (command.what == "flame") {
    return write_profile(session, command, *std::move(plan), {"flamegraph", ".svg"});
  }
  if (::isatty(STDIN_FILENO) != 1) {
    return fail(
        session.console,
        user_error(fmt::format("`{}` needs a terminal, but standard input is not one; `dump`, "
                               "`record` and `flame` need none",
                               printable(command.what))));
  }
  plan->terminal = wire::Terminal{session.environment.find("TERM").value_or("dumb"), {}};
  return run_probe(session, command, *std::move(plan));
}

}  // namespace muster::client
