#include "agent/stacks/frame_tools.h"

#include "agent/stacks/tool_search.h"
#include "base/text.h"
#include "os/process/command.h"
#include "os/process/java_dump.h"
#include "stacks/servers.h"
#include "stacks/stack_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::agent {
namespace {

constexpr size_t kOutputBytesMax = 8U << 20;

bool all_sleep(const stacks::Process& process) {
  return std::ranges::none_of(process.threads,
                              [](const stacks::Thread& thread) { return thread.state == 'R'; });
}

bool has_frames(const stacks::Process& process) {
  return std::ranges::any_of(process.threads,
                             [](const stacks::Thread& thread) { return !thread.frames.empty(); });
}

/// Runs a tool that stops the process while reading it. If the tool is killed because it takes too
/// long for a large program, it leaves behind the stop signal with which it attached, and the
/// process would stay stopped forever.
Result<os::CommandOutput> run_reader(os::SpawnOptions spawn, Duration deadline,
                                     const stacks::Process& process) {
  // The tool dies even if this program is killed; the agent then lets the process continue.
  spawn.parent_death_signal = SIGKILL;
  const bool stood = std::ranges::any_of(
      process.threads, [](const stacks::Thread& thread) { return thread.state == 'T'; });
  Result<os::CommandOutput> output = os::run_command(std::move(spawn), deadline, kOutputBytesMax);
  const bool finished = output.has_value() && output->exit.code.has_value();
  if (!finished && !stood) {
    (void)::kill(process.pid, SIGCONT);
  }
  return output;
}

/// Returns whether only another of its threads can wake the main one: neither time nor input can.
bool waits_for_itself(const stacks::Process& process) {
  return !process.python && !process.java && !process.threads.empty() &&
         process.threads.front().system_call == "futex" && stacks::server_of(process) == nullptr;
}

}  // namespace

FrameTools::FrameTools(Options options) : options_(std::move(options)) {
  if (options_.native) {
    debugger_ = find_program("eu-stack", options_.environment, {});
    debugger_ = debugger_.empty() ? find_program("gdb", options_.environment, {}) : debugger_;
  } else if (options_.where_it_waits) {
    debugger_ = find_program("gdb", options_.environment, {});
  }
}

void FrameTools::read(stacks::Process& process, Duration deadline) {
  if (process.python) {
    read_python(process, deadline);
  } else if (process.java) {
    read_java(process, deadline);
  }
  if (options_.native && !has_frames(process)) {
    read_with_debugger(process, deadline);
  } else if (options_.where_it_waits && !debugger_.empty() && waits_for_itself(process)) {
    read_where_it_waits(process, deadline);
  }
}

/// Function names without lines would only hide what the kernel reports.
void FrameTools::read_where_it_waits(stacks::Process& process, Duration deadline) {
  read_with_debugger(process, deadline);
  if (std::ranges::none_of(process.threads, stacks::is_in_own_code)) {
    process.problem.clear();
    for (stacks::Thread& thread : process.threads) {
      thread.frames.clear();
    }
  }
}

void FrameTools::read_python(stacks::Process& process, Duration deadline) {
  const std::string tool = options_.py_spy.empty() ? find_program("py-spy", options_.environment,
                                                                  folders_beside(process.pid))
                                                   : options_.py_spy;
  if (tool.empty()) {
    process.misses_py_spy = true;
    process.problem = fmt::format(
        "its Python frames are not known: there is no py-spy on {}; install it in the job's Python "
        "environment (pip install py-spy), or put the program py-spy beside muster",
        host_name());
    return;
  }
  os::SpawnOptions spawn;
  spawn.argv = {tool, "dump", "--json", "--pid", fmt::to_string(process.pid)};
  spawn.env = options_.environment;
  spawn.stderr_to = os::ToNull{};
  // A sleeping process is read without stopping it; a process held in the kernel could not be
  // stopped.
  if (options_.native) {
    // For callers that look several times: a process whose variables have changed has worked.
    spawn.argv.insert(spawn.argv.end(), {"--native", "--locals"});
  } else if (all_sleep(process)) {
    spawn.argv.emplace_back("--nonblocking");
  }
  const Result<os::CommandOutput> output = run_reader(spawn, deadline, process);
  if (!output) {
    process.problem = fmt::format("its Python frames are not known: {}", output.error().message);
    return;
  }
  if (output->exit.code == 0 && stacks::read_py_spy(output->stdout_text, process)) {
    return;
  }
  // Run it once more to capture its error messages.
  spawn.argv.insert(spawn.argv.begin(), {"/bin/sh", "-c", R"(exec "$0" "$@" 2>&1)"});
  const Result<os::CommandOutput> again = run_reader(spawn, deadline, process);
  const std::string said = again ? words_of_failure(again->stdout_text) : again.error().message;
  if (again && again->exit.code == 0 && stacks::read_py_spy(again->stdout_text, process)) {
    return;
  }
  process.problem = fmt::format("its Python frames are not known: {}", said);
}

void FrameTools::read_java(stacks::Process& process, Duration deadline) {
  const bool held = std::ranges::any_of(process.threads, [](const stacks::Thread& thread) {
    return thread.state == 'T' || thread.state == 'D';
  });
  if (held) {
    process.problem = "its Java frames are not known: it is stopped, and could not answer";
    return;
  }
  const Result<std::string> dump = os::ask_java_for_threads(os::Pid(process.pid), deadline);
  const Status read = dump ? stacks::read_java(*dump, process) : Status(dump.error());
  if (!read) {
    process.problem = fmt::format("its Java frames are not known: {}", read.error().message);
  }
}

void FrameTools::read_with_debugger(stacks::Process& process, Duration deadline) {
  if (debugger_.empty()) {
    if (process.problem.empty()) {
      process.problem = fmt::format(
          "its native frames are not known: there is neither eu-stack (elfutils) nor gdb on {}",
          host_name());
    }
    return;
  }
  os::SpawnOptions spawn;
  const std::string pid = fmt::to_string(process.pid);
  if (debugger_.ends_with("gdb")) {
    spawn.argv = {debugger_, "-nx", "-batch", "-p", pid, "-ex", "thread apply all backtrace"};
  } else {
    spawn.argv = {debugger_, "-m", "-p", pid};
  }
  spawn.env = options_.environment;
  spawn.stderr_to = os::ToNull{};
  const Result<os::CommandOutput> output = run_reader(spawn, deadline, process);
  if (output) {
    stacks::read_native(output->stdout_text, process);
  }
  if (!has_frames(process) && process.problem.empty()) {
    process.problem =
        fmt::format("its native frames are not known: {}",
                    output ? fmt::format("{} could not read them; {}", debugger_, why_forbidden())
                           : output.error().message);
  }
}

}  // namespace muster::agent
