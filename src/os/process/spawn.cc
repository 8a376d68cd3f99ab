#include "os/process/spawn.h"

#include "base/text.h"
#include "os/host/limits.h"
#include "os/process/child_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <optional>
#include <sched.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

/// What the child was doing when it failed.
enum class Step : uint8_t { None, Group, DeathSignal, Limits, Folder, Streams, Exec };

/// What the child reports before it ends. Both see this memory, so no pipe is needed.
struct Report {
  Step failed = Step::None;
  int error = 0;
};

/// Everything the child needs, made by the parent: between vfork and exec the child may only make
/// system calls.
struct ChildPlan {
  const SpawnOptions* options = nullptr;
  std::vector<std::string> candidates;  ///< Paths to try with execve, in order.
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::array<int, 3> streams{-1, -1, -1};
  std::vector<KeptFd> keep;
  int descriptor_max = 0;
  std::optional<rlimit> descriptors;  ///< Their limit, if the parent raised its own.
  pid_t parent = 0;
  Report* report = nullptr;
};

// ---- in the child: system calls only
// ----------------------------------------------------------------------------

/// The kernel's own form of sigaction: the handler, no flags, an empty mask. Larger than what it
/// reads on any of our processors.
using KernelAction = std::array<uint64_t, 8>;
constexpr KernelAction kStandard{};
constexpr KernelAction kIgnore{1};  // SIG_IGN.

void set_signals(const KernelAction& action) {
  // By system call: glibc's sigaction refuses the signals that it reserves (32, 33), yet a parent
  // that ignores them, as some runtimes do, passes that on to us and so to the task.
  constexpr size_t kMaskBytes = NSIG / 8;
  for (int signal = 1; signal < NSIG; ++signal) {
    // Fails harmlessly for those that cannot be changed.
    ::syscall(SYS_rt_sigaction, signal, action.data(), nullptr, kMaskBytes);
  }
}

/// A Ctrl-C between our start and our own group was meant for the group that we have left: it stays
/// pending until signals are unblocked, and ignoring it drops it.
void drop_signals_of_old_group() {
  set_signals(kIgnore);
  set_signals(kStandard);
}

/// Moves every descriptor that the child is to have away from the numbers it is to have them under,
/// then into place. dup2 to the final number clears close-on-exec.
bool place_descriptors(ChildPlan& plan) {
  for (int& fd : plan.streams) {
    fd = ::fcntl(fd, F_DUPFD_CLOEXEC, plan.descriptor_max);
    if (fd < 0) {
      return false;
    }
  }
  for (KeptFd& kept : plan.keep) {
    kept.parent_fd = ::fcntl(kept.parent_fd, F_DUPFD_CLOEXEC, plan.descriptor_max);
    if (kept.parent_fd < 0) {
      return false;
    }
  }
  for (int stream = 0; stream < 3; ++stream) {
    if (::dup2(plan.streams[static_cast<size_t>(stream)], stream) < 0) {
      return false;
    }
  }
  return std::ranges::all_of(
      plan.keep, [](const KeptFd& kept) { return ::dup2(kept.parent_fd, kept.child_fd) >= 0; });
}

/// Descriptors that a library opened without close-on-exec must not leak into user programs.
void close_others(const ChildPlan& plan) {
  const auto wanted = [&](unsigned fd) {
    return std::ranges::any_of(
        plan.keep, [&](const KeptFd& kept) { return kept.child_fd == static_cast<int>(fd); });
  };
  unsigned first = 3;
  while (true) {
    while (wanted(first)) {
      ++first;
    }
    unsigned last = ~0U;
    for (const KeptFd& kept : plan.keep) {
      if (static_cast<unsigned>(kept.child_fd) > first) {
        last = std::min(last, static_cast<unsigned>(kept.child_fd) - 1);
      }
    }
    // Linux before 5.9 has no close_range; the parent's own descriptors are all close-on-exec
    // anyway.
    constexpr unsigned kCloseRangeCloexec = 4;
    if (::syscall(SYS_close_range, first, last, kCloseRangeCloexec) != 0 || last == ~0U) {
      return;
    }
    first = last + 1;
  }
}

Step prepare_child(ChildPlan& plan) {
  const SpawnOptions& options = *plan.options;
  const bool on_terminal = options.grouping == Grouping::NewTerminalSession;
  if ((options.grouping == Grouping::NewSession || on_terminal) && ::setsid() < 0) {
    return Step::Group;
  }
  if (options.grouping == Grouping::NewGroup && ::setpgid(0, 0) != 0) {
    return Step::Group;
  }
  if (options.grouping != Grouping::Inherited) {
    drop_signals_of_old_group();
  }
  if (options.parent_death_signal.has_value()) {
    if (::prctl(PR_SET_PDEATHSIG, *options.parent_death_signal) != 0) {
      return Step::DeathSignal;
    }
    if (::getppid() != plan.parent) {
      ::_exit(127);  // The parent ended before the kernel knew of the request.
    }
  }
  if (options.niceness != 0) {
    errno = 0;
    if (::nice(options.niceness) == -1 && errno != 0) {
      return Step::Limits;
    }
  }
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) {
    return Step::Folder;
  }
  if (!place_descriptors(plan)) {
    return Step::Streams;
  }
  if (on_terminal && ::ioctl(0, TIOCSCTTY, 0) != 0) {
    return Step::Streams;
  }
  close_others(plan);
  // Last, because the copies above may need numbers that only the parent's own limit allows.
  if (plan.descriptors && ::setrlimit(RLIMIT_NOFILE, &*plan.descriptors) != 0) {
    return Step::Limits;
  }
  return Step::None;
}

/// Tries each candidate as execvp does: an error from one that exists counts more than "not found".
Step execute(ChildPlan& plan) {
  int worst = ENOENT;
  for (const std::string& path : plan.candidates) {
    ::execve(path.c_str(), plan.argv.data(), plan.envp.data());
    if (errno != ENOENT && errno != ENOTDIR) {
      worst = errno;
      if (errno != EACCES) {
        break;
      }
    }
  }
  errno = worst;
  return Step::Exec;
}

int child_main(void* argument) {
  ChildPlan& plan = *static_cast<ChildPlan*>(argument);
  set_signals(kStandard);
  plan.report->failed = prepare_child(plan);
  if (plan.report->failed == Step::None) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    plan.report->failed = execute(plan);
  }
  plan.report->error = errno;
  ::_exit(127);
}

// ---- in the parent
// ----------------------------------------------------------------------------------------------

#if __has_feature(thread_sanitizer)
/// The thread sanitizer takes every clone for a fork, and ends the program if it is not one.
constexpr int kSharesMemory = 0;
#else
constexpr int kSharesMemory = CLONE_VM;
#endif

/// A stack for the child, which runs while the calling thread waits, and its report.
class ChildStack {
 public:
  ChildStack() {
    memory_ = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_STACK,
                     -1, 0);
  }
  ~ChildStack() {
    if (valid()) {
      ::munmap(memory_, kSize);
    }
  }
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;
  [[nodiscard]] bool valid() const { return memory_ != MAP_FAILED; }
  [[nodiscard]] void* top() const { return static_cast<char*>(memory_) + kSize; }
  /// It lies at the other end of the memory. Call once.
  [[nodiscard]] Report* report() const { return new (memory_) Report; }

 private:
  static constexpr size_t kSize = 256U << 10;
  void* memory_;
};

std::vector<std::string> program_candidates(const SpawnOptions& options) {
  const std::string& program = options.argv.front();
  if (program.find('/') != std::string::npos) {
    return {program};
  }
  const auto path = options.env.find("PATH");
  const std::string_view folders = path == options.env.end()
                                       ? std::string_view("/usr/local/bin:/usr/bin:/bin")
                                       : std::string_view(path->second);
  std::vector<std::string> candidates;
  for (const std::string_view folder : split(folders, ':')) {
    candidates.push_back(folder.empty() ? program : fmt::format("{}/{}", folder, program));
  }
  return candidates;
}

Error child_error(const ChildPlan& plan) {
  const SpawnOptions& options = *plan.options;
  const std::string& program = options.argv.front();
  const int code = plan.report->error;
  switch (plan.report->failed) {
    case Step::Folder: {
      Error error = system_error(
          code, fmt::format("cannot enter the working folder {}", options.folder.string()));
      error.blame = Blame::User;
      return error;
    }
    case Step::Exec: {
      Error error = system_error(code, fmt::format("cannot run the program {}", program));
      if (code == E2BIG) {
        error.message += " (its arguments and environment are too large for the kernel)";
      }
      if (code == ENOENT && ::access(program.c_str(), F_OK) == 0) {
        error.message += " (it exists, but the interpreter or loader that it names does not)";
      }
      error.blame = Blame::User;
      return error;
    }
    case Step::Limits: {
      Error error = system_error(code, fmt::format("cannot set a resource limit of {}", program));
      error.blame = Blame::User;
      return error;
    }
    case Step::Group:
      return system_error(code, fmt::format("cannot create a process group for {}", program));
    case Step::DeathSignal:
      return system_error(code, fmt::format("cannot set the parent-death signal of {}", program));
    case Step::Streams:
      return system_error(code, fmt::format("cannot set up the streams of {}", program));
    case Step::None:
      break;
  }
  return bug("a child process failed without giving a reason");
}

/// Runs `plan` in a child that shares this memory until its exec or end; the caller waits for it.
Result<Pid> start_child(ChildPlan& plan) {
  const ChildStack stack;
  if (!stack.valid()) {
    return system_error(errno, "cannot allocate memory to start a process");
  }
  plan.report = stack.report();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // No handler of ours may run in the child.
  const pid_t pid = ::clone(child_main, stack.top(), kSharesMemory | CLONE_VFORK | SIGCHLD, &plan);
  const int clone_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    return system_error(clone_error,
                        fmt::format("cannot create a process for {}", plan.options->argv.front()));
  }
  if (plan.report->failed != Step::None) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return child_error(plan);
  }
  return Pid(pid);
}

Exit to_exit(int status, const rusage& usage) {
  Exit exit;
  if (WIFEXITED(status)) {
    exit.code = WEXITSTATUS(status);
  } else {
    exit.signal = WTERMSIG(status);
    exit.core_dumped = WCOREDUMP(status);
  }
  exit.memory_peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) << 10;
  const auto time = [](const timeval& value) {
    return std::chrono::seconds(value.tv_sec) + std::chrono::microseconds(value.tv_usec);
  };
  exit.cpu = time(usage.ru_utime) + time(usage.ru_stime);
  return exit;
}

Result<std::optional<Exit>> wait_for(Pid pid, int flags) {
  int status = 0;
  rusage usage{};
  pid_t got = 0;
  do {
    got = ::wait4(pid.value, &status, flags, &usage);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    return Error{Errc::NotFound, Blame::Muster,
                 fmt::format("{} is not a child of this process", pid.value)};
  }
  if (got == 0) {
    return std::optional<Exit>();
  }
  return std::optional<Exit>(to_exit(status, usage));
}

}  // namespace

Result<Spawned> spawn(const SpawnOptions& options) {
  if (options.argv.empty() || options.argv.front().empty()) {
    return user_error("there is no program to run");
  }
  MUSTER_TRY(StreamEnds in, open_child_stream(options.stdin_from, 0));
  MUSTER_TRY(StreamEnds out, open_child_stream(options.stdout_to, 1));
  MUSTER_TRY(StreamEnds err, options.merges_streams ? copy_descriptor(out.child.get())
                                                    : open_child_stream(options.stderr_to, 2));

  ChildPlan plan;
  plan.options = &options;
  plan.candidates = program_candidates(options);
  for (const std::string& word : options.argv) {
    plan.argv.push_back(
        const_cast<char*>(word.c_str()));  // execve takes no const, but changes nothing.
  }
  plan.argv.push_back(nullptr);
  std::vector<std::string> env;
  env.reserve(options.env.size());
  for (const auto& [name, value] : options.env) {
    env.push_back(fmt::format("{}={}", name, value));
    plan.envp.push_back(env.back().data());
  }
  plan.envp.push_back(nullptr);
  plan.streams = {in.child.get(), out.child.get(), err.child.get()};
  plan.keep = options.keep;
  plan.descriptor_max = 3;
  for (const KeptFd& kept : options.keep) {
    plan.descriptor_max = std::max(plan.descriptor_max, kept.child_fd + 1);
  }
  plan.descriptors = descriptor_limit_before();
  plan.parent = ::getpid();

  MUSTER_TRY(const Pid pid, start_child(plan));
  return Spawned{.pid = pid,
                 .stdin_pipe = std::move(in.parent),
                 .stdout_pipe = std::move(out.parent),
                 .stderr_pipe = std::move(err.parent)};
}

Result<std::optional<Exit>> try_reap(Pid pid) { return wait_for(pid, WNOHANG); }

Result<Exit> reap(Pid pid) {
  MUSTER_TRY(const std::optional<Exit> exit, wait_for(pid, 0));
  return *exit;
}

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> found;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      found.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return found;
}

}  // namespace muster::os
