#include "agent/stacks/stack_probe.h"

#include "agent/stacks/frame_tools.h"
#include "base/text.h"
#include "os/proc_text.h"
#include "os/process_tree.h"
#include "os/threads.h"
#include "rt/fd.h"
#include "stacks/stack_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

using Clock = std::chrono::steady_clock;

/// For everything, and for one process.
constexpr Duration kPatience = std::chrono::seconds(15);
constexpr Duration kPatienceForOne = std::chrono::seconds(5);
constexpr size_t kToolBytesMax = 64U << 20;

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(put > 0 ? static_cast<size_t>(put) : 0);
  }
  return true;
}

/// Keeps what standard input brings as a program in memory: no folder has to allow programs.
std::optional<rt::Fd> tool_from_stdin() {
  rt::Fd tool(::memfd_create("py-spy", MFD_CLOEXEC));
  std::array<char, 64U << 10> buffer{};
  size_t total = 0;
  while (tool.valid()) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got == 0) {
      // A program that is open for writing cannot be run.
      rt::Fd readable(
          ::open(fmt::format("/proc/self/fd/{}", tool.get()).c_str(), O_RDONLY | O_CLOEXEC));
      return total == 0 || !readable.valid() ? std::nullopt : std::optional(std::move(readable));
    }
    total += got > 0 ? static_cast<size_t>(got) : 0;
    if ((got < 0 && errno != EINTR) || total > kToolBytesMax ||
        (got > 0 &&
         !write_all(tool.get(), std::string_view(buffer.data(), static_cast<size_t>(got))))) {
      break;
    }
  }
  return std::nullopt;
}

std::string value_in(std::string_view environment, std::string_view name) {
  for (const std::string_view entry : split(environment, '\0')) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
  }
  return "";
}

/// The processes of the attempt whose environment is ours: children of the agent, but no sessions,
/// and everything below them. Parents come before children.
std::vector<os::ProcessInfo> attempt_processes(const std::map<std::string, std::string>& mine) {
  constexpr std::array<std::string_view, 4> kMarks = {"MUSTER_JOB_ID", "MUSTER_ROLE",
                                                      "MUSTER_INDEX", "MUSTER_ATTEMPT"};
  const os::Pid agent(::getppid());
  std::vector<os::ProcessInfo> all = os::list_descendants(agent);
  std::vector<os::Pid> known;
  std::vector<os::ProcessInfo> found;
  for (const os::ProcessInfo& process : all) {
    bool belongs = std::ranges::find(known, process.parent) != known.end();
    if (process.parent == agent && process.session != process.pid && !process.zombie) {
      const std::string theirs = os::read_proc(fmt::format("/proc/{}/environ", process.pid.value));
      belongs = std::ranges::all_of(kMarks, [&](std::string_view mark) {
        const auto own = mine.find(std::string(mark));
        return own != mine.end() && value_in(theirs, mark) == own->second;
      });
    }
    if (belongs && !process.zombie) {
      known.push_back(process.pid);
      found.push_back(process);
    }
  }
  return found;
}

bool is_python(const os::ProcessInfo& process, std::string_view name) {
  std::error_code failed;
  const std::string program =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process.pid.value), failed)
          .filename();
  return program.starts_with("python") || program.starts_with("pypy") || name.starts_with("python");
}

/// What can be read without waiting for the process.
std::optional<stacks::Process> glance(const os::ProcessInfo& info) {
  stacks::Process process;
  process.pid = info.pid.value;
  process.parent = info.parent.value;
  for (const os::ThreadState& seen : os::list_threads(info.pid, stacks::kThreadsMax)) {
    stacks::Thread& thread = process.threads.emplace_back();
    thread.id = seen.id;
    thread.name = seen.name;
    thread.state = seen.state;
    thread.wait_channel = seen.wait_channel;
    thread.system_call = seen.system_call;
    thread.target = seen.descriptor < 0 ? "" : os::descriptor_target(info.pid, seen.descriptor);
  }
  if (process.threads.empty()) {
    return std::nullopt;
  }
  process.command = process.threads.front().name;
  process.python = is_python(info, process.command);
  return process;
}

std::string command_of(const stacks::Process& process) {
  std::string command = os::read_proc(fmt::format("/proc/{}/cmdline", process.pid));
  while (!command.empty() && command.back() == '\0') {
    command.pop_back();
  }
  std::ranges::replace(command, '\0', ' ');
  return command.empty() ? process.command : command;
}

class Probe {
 public:
  Probe(FrameTools tools) : tools_(std::move(tools)) {}

  int run(const std::map<std::string, std::string>& variables);

 private:
  /// False: nobody reads any more, or it is too much.
  bool say(const std::string& line) {
    bytes_ += line.size();
    return bytes_ <= stacks::kReportBytesMax && write_all(STDOUT_FILENO, line);
  }

  FrameTools tools_;
  size_t bytes_ = 0;
};

int Probe::run(const std::map<std::string, std::string>& variables) {
  const Clock::time_point until = Clock::now() + kPatience;
  std::vector<stacks::Process> processes;
  uint32_t left_out = 0;
  for (const os::ProcessInfo& info : attempt_processes(variables)) {
    std::optional<stacks::Process> process = glance(info);
    if (process && processes.size() == stacks::kProcessesMax) {
      ++left_out;
    } else if (process && say(stacks::process_line(*process))) {
      processes.push_back(*std::move(process));
    }
  }
  for (stacks::Process& process : processes) {
    const auto left = std::chrono::duration_cast<Duration>(until - Clock::now());
    if (left <= Duration::zero()) {
      process.problem = "its frames are not known: there was no time left";
    } else {
      process.command = command_of(process);
      tools_.read(process, std::min(left, kPatienceForOne));
    }
    if (!say(stacks::frames_line(process))) {
      break;
    }
  }
  (void)write_all(STDOUT_FILENO, stacks::end_line(left_out));
  return 0;
}

}  // namespace

int run_stack_probe(const std::vector<std::string>& arguments, char** variables) {
  FrameTools::Options options;
  for (char** entry = variables; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = std::min(text.find('='), text.size());
    options.environment.emplace(text.substr(0, equals),
                                text.substr(std::min(equals + 1, text.size())));
  }
  if (!options.environment.contains("MUSTER_ROLE")) {
    std::fputs("muster: stack-probe runs inside a task only; use `muster stacks JOB`\n", stderr);
    return 2;
  }
  options.native = std::ranges::find(arguments, "--native") != arguments.end();
  std::optional<rt::Fd> tool;
  if (std::ranges::find(arguments, "--tool-from-stdin") != arguments.end()) {
    tool = tool_from_stdin();
    // Of this process: its own number there would be another one's by then.
    options.py_spy = tool ? fmt::format("/proc/{}/fd/{}", ::getpid(), tool->get()) : "";
  }
  const std::map<std::string, std::string> own = options.environment;
  return Probe(FrameTools(std::move(options))).run(own);
}

}  // namespace muster::agent
