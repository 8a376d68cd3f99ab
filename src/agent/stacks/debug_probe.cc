#include "agent/stacks/debug_probe.h"

#include "agent/stacks/attempt_processes.h"
#include "agent/stacks/sent_tool.h"
#include "agent/stacks/tool_search.h"
#include "base/text.h"
#include "os/host/proc_text.h"
#include "os/process/process_tree.h"
#include "os/process/spawn.h"
#include "os/process/threads.h"
#include "rt/fd.h"
#include "stacks/debug_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

using Variables = std::map<std::string, std::string>;

int say(const std::string& words) {
  std::fputs(fmt::format("muster: {}\n", words).c_str(), stderr);
  return 2;
}

/// The parsed arguments. They come from the client, which has checked them.
class Words {
 public:
  explicit Words(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  [[nodiscard]] std::string verb() const { return arguments_.empty() ? "" : arguments_.front(); }
  [[nodiscard]] bool has(std::string_view flag) const {
    return std::ranges::find(arguments_, flag) != arguments_.end();
  }
  [[nodiscard]] std::string value(std::string_view option, std::string_view fallback) const {
    const auto found = std::ranges::find(arguments_, option);
    const bool given = found != arguments_.end() && found + 1 != arguments_.end();
    return given ? *(found + 1) : std::string(fallback);
  }

 private:
  const std::vector<std::string>& arguments_;
};

struct Candidate {
  int32_t pid = 0;
  std::string name;
  bool python = false;
  bool first = false;  ///< For Python processes: not started by another of them.
};

std::vector<Candidate> candidates_of(const Variables& variables) {
  std::vector<Candidate> all;
  for (const os::ProcessInfo& info : attempt_processes(variables)) {
    Candidate& found = all.emplace_back();
    found.pid = info.pid.value;
    found.name = std::string(trim(os::read_proc(fmt::format("/proc/{}/comm", found.pid))));
    found.python = is_python(info, found.name);
    found.first = std::ranges::none_of(all, [&](const Candidate& other) {
      return other.python && other.pid == info.parent.value;
    });
  }
  return all;
}

bool is_shell(const Candidate& process) {
  constexpr std::array<std::string_view, 4> kShells = {"sh", "bash", "dash", "zsh"};
  return std::ranges::find(kShells, process.name) != kShells.end();
}

/// Returns the process that is meant; nullopt after printing why there is none.
std::optional<Candidate> choose(const std::vector<Candidate>& all, const std::string& pid,
                                bool python) {
  if (!pid.empty()) {
    const auto named = std::ranges::find_if(
        all, [&](const Candidate& each) { return fmt::to_string(each.pid) == pid; });
    if (named == all.end()) {
      say(fmt::format("{} is not a process of the task; `muster stacks` lists them",
                      printable(pid)));
      return std::nullopt;
    }
    return *named;
  }
  std::vector<Candidate> fit;
  std::ranges::copy_if(all, std::back_inserter(fit),
                       [](const Candidate& each) { return each.python && each.first; });
  if (fit.empty() && !python) {
    std::ranges::copy_if(all, std::back_inserter(fit),
                         [](const Candidate& each) { return !is_shell(each); });
    fit = fit.empty() ? all : fit;
  }
  if (fit.empty()) {
    say("the task has no Python process for py-spy to read; `gdb` reads any process");
    return std::nullopt;
  }
  if (fit.size() > 1 && python) {
    std::string others;
    for (size_t i = 1; i < fit.size(); ++i) {
      others += fmt::format("{}{}", i == 1 ? "" : ", ", fit[i].pid);
    }
    say(fmt::format("reading {} ({}); other Python processes (choose with --pid): {}",
                    fit.front().pid, printable(fit.front().name), others));
  }
  return fit.front();
}

/// Replaces this process with the tool, on the session's terminal.
int become(const std::vector<std::string>& words, char** variables) {
  std::vector<char*> argv;
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: execve changes nothing.
  }
  argv.push_back(nullptr);
  // lint: allow(process) this process, a session's own, becomes the tool on its terminal
  ::execve(words.front().c_str(), argv.data(), variables);
  return say(fmt::format("{} cannot be run", words.front()));
}

std::string content_of(const rt::Fd& file) {
  std::string content;
  std::array<char, 64U << 10> buffer{};
  ssize_t got = 0;
  while ((got = ::pread(file.get(), buffer.data(), buffer.size(),
                        static_cast<off_t>(content.size()))) > 0) {
    content.append(buffer.data(), static_cast<size_t>(got));
  }
  return content;
}

/// Has py-spy write to memory: nothing may leave files in the task's folder.
int profile(const Words& words, const std::string& tool, const Candidate& process,
            const Variables& variables) {
  const rt::Fd result(::memfd_create("profile", MFD_CLOEXEC));
  const rt::Fd said(::memfd_create("words", MFD_CLOEXEC));
  if (!result.valid() || !said.valid()) {
    return say("there is not enough memory for a profile");
  }
  os::SpawnOptions spawn;
  spawn.argv = {tool,
                "record",
                "--pid",
                fmt::to_string(process.pid),
                "--subprocesses",
                "--duration",
                words.value("--seconds", "10"),
                "--rate",
                words.value("--rate", "100"),
                "--format",
                words.value("--format", "flamegraph"),
                "--output",
                fmt::format("/proc/{}/fd/{}", ::getpid(), result.get())};
  if (words.has("--native")) {
    spawn.argv.emplace_back("--native");
  }
  if (words.has("--gil")) {
    spawn.argv.emplace_back("--gil");
  }
  spawn.env = variables;
  spawn.stdout_to = os::ToFd{said.get()};
  spawn.stderr_to = os::ToFd{said.get()};
  spawn.parent_death_signal = SIGKILL;
  const std::vector<os::Pid> stood = os::stopped_among(os::pids_of(attempt_processes(variables)));
  const Result<os::Spawned> started = os::spawn(spawn);
  if (!started) {
    return say(started.error().message);
  }
  const Result<os::Exit> exit = os::reap(started->pid);
  if (exit && exit->signal) {
    // py-spy stops the processes it reads for a moment, many times a second.
    os::continue_others(os::pids_of(attempt_processes(variables)), stood);
  }
  const std::string made = content_of(result);
  if (!exit || exit->code != 0 || made.empty()) {
    return say(fmt::format("py-spy could not read process {}: {}", process.pid,
                           words_of_failure(content_of(said))));
  }
  return write_whole(STDOUT_FILENO, made) ? 0 : 1;
}

int run_with_py_spy(const Words& words, const Candidate& process, const Variables& variables,
                    char** raw) {
  std::optional<rt::Fd> sent;
  std::string tool = find_program("py-spy", variables, folders_beside(process.pid));
  if (words.has("--tool-from-stdin")) {
    sent = tool_from_stdin();
    tool = sent ? path_of_tool(*sent) : tool;
  }
  if (tool.empty() && words.has("--or-ask")) {
    return stacks::kNoPySpy;
  }
  if (tool.empty()) {
    return say(
        fmt::format("there is no py-spy on {}; install it in the job's Python environment "
                    "(pip install py-spy), or put the program py-spy beside muster",
                    host_name()));
  }
  if (words.verb() == "watch") {
    return become({tool, "top", "--pid", fmt::to_string(process.pid), "--subprocesses"}, raw);
  }
  return profile(words, tool, process, variables);
}

}  // namespace

int run_debug_probe(const std::vector<std::string>& arguments, char** variables) {
  const Words words(arguments);
  Variables own;
  for (char** entry = variables; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = std::min(text.find('='), text.size());
    own.emplace(text.substr(0, equals), text.substr(std::min(equals + 1, text.size())));
  }
  if (!own.contains("MUSTER_ROLE")) {
    return say("debug-probe runs only inside a task; use `muster debug JOB`");
  }
  const bool attaches = words.verb() == "attach";
  const auto process = choose(candidates_of(own), words.value("--pid", ""), !attaches);
  if (!process) {
    return 2;
  }
  if (!attaches) {
    return run_with_py_spy(words, *process, own, variables);
  }
  const std::string gdb = find_program("gdb", own, {});
  if (gdb.empty()) {
    return say(
        fmt::format("there is no gdb on {}; install it there (apt-get install gdb, or dnf "
                    "install gdb), or in the job's environment (conda install gdb)",
                    host_name()));
  }
  return become({gdb, "-p", fmt::to_string(process->pid)}, variables);
}

}  // namespace muster::agent
