#include "keeper/keeper.h"

#include "base/error.h"
#include "keeper/descendants.h"
#include "os/host/cgroup.h"
#include "os/process/code_pages.h"
#include "os/process/start_request.h"
#include "rt/fd.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace muster::keeper {
namespace {

constexpr int kCannotStart = 70;
constexpr int kOrphanPatienceMs = 1500;
/// Longer than an agent needs to stop its tasks by TERM, a second of grace, and KILL.
constexpr int kLeavePatienceMs = 2000;

int exit_status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&set, signal);
  }
  return set;
}

int fail(const char* what) {
  std::fprintf(stderr, "muster keeper: %s\n", system_error(errno, what).message.c_str());
  return kCannotStart;
}

void close_all(const std::vector<int>& fds) {
  for (const int fd : fds) {
    ::close(fd);
  }
}

/// Becomes another program, or this one with other arguments. Returns only on failure.
void become(const Options& options, std::vector<std::string> arguments,
            const sigset_t& original_mask) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  const std::string program = options.program.value_or("/proc/self/exe");
  ::sigprocmask(SIG_SETMASK, &original_mask, nullptr);
  ::execv(program.c_str(), argv.data());
}

void become_agent(const Options& options, int life_fd, int start_fd,
                  const sigset_t& original_mask) {
  ::fcntl(life_fd, F_SETFD, 0);
  ::fcntl(start_fd, F_SETFD, 0);
  std::vector<std::string> arguments = options.agent_argv;
  arguments.insert(arguments.end(),
                   {"--life-fd", std::to_string(life_fd), "--start-fd", std::to_string(start_fd)});
  become(options, std::move(arguments), original_mask);
}

/// In the new process: moves its descriptors to their numbers, after first moving all of them out
/// of the way.
void place_descriptors(const os::ReceivedStart& start) {
  constexpr int kFirst = 3;
  constexpr int kAside = 64;
  const int null_fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int output = start.output.valid() ? start.output.get() : null_fd;
  ::dup2(null_fd, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  std::vector<int> aside;
  for (const rt::Fd& fd : start.fds) {
    aside.push_back(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kAside));
  }
  for (size_t i = 0; i < aside.size(); ++i) {
    ::dup2(aside[i], kFirst + static_cast<int>(i));
  }
}

/// Starts a program that is not a descendant of anything in this container: its parent ends at
/// once, and at that moment none of our processes above it is a subreaper.
void start_outside(const Options& options, const os::ReceivedStart& start,
                   const sigset_t& original_mask) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    if (::fork() != 0) {
      _exit(0);
    }
    ::setsid();
    place_descriptors(start);
    become(options, start.argv, original_mask);
    _exit(fail("cannot execute the requested program"));
  }
  ::waitpid(parent, nullptr, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/// Reaps what has ended; returns true when the agent is among them.
bool reap(pid_t agent, int& agent_status) {
  bool agent_ended = false;
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid == agent) {
      agent_ended = true;
      agent_status = exit_status_of(status);
    }
  }
  return agent_ended;
}

int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// The stub was killed, and whoever did that may kill this process next: an agent killed first
/// would leave its tasks to nobody. Once its life pipe is closed, it ends them itself, whatever
/// becomes of us.
void let_agent_leave(pid_t agent, int signal_fd, rt::Fd life_fd) {
  life_fd.reset();
  const int64_t end = now_ms() + kLeavePatienceMs;
  int status = 0;
  while (!reap(agent, status)) {
    const int64_t left = end - now_ms();
    pollfd signals{signal_fd, POLLIN, 0};
    if (left <= 0 || ::poll(&signals, 1, static_cast<int>(left)) < 0) {
      return;
    }
    signalfd_siginfo info{};
    if (signals.revents != 0 && ::read(signal_fd, &info, sizeof info) < 0) {
      return;
    }
  }
}

/// A stopped agent learns of nothing and ends nothing.
bool is_stopped(pid_t agent) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(agent), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == agent;
}

/// Waits until the agent or the stub has ended; returns the status to leave with.
int watch(pid_t agent, int stub_fd, int signal_fd, rt::Fd life_fd) {
  pollfd fds[2] = {{stub_fd, POLLIN, 0}, {signal_fd, POLLIN, 0}};
  while (true) {
    if (::poll(fds, 2, -1) < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail("poll");
    }
    if (fds[0].revents != 0) {
      if (!is_stopped(agent)) {
        let_agent_leave(agent, signal_fd, std::move(life_fd));
      }
      return 128 + SIGKILL;  // Nobody ever writes into this pipe: the stub is gone.
    }
    signalfd_siginfo info{};
    if (::read(signal_fd, &info, sizeof info) != sizeof info) {
      continue;
    }
    if (info.ssi_signo != SIGCHLD) {
      if (is_stopped(agent)) {
        return 128 + SIGKILL;
      }
      ::kill(agent, SIGTERM);
      continue;
    }
    int status = 0;
    if (reap(agent, status)) {
      return status;
    }
  }
}

/// Runs the keeper's whole life. Returns its exit status.
int keep(const Options& options, int stub_fd, rt::Fd start_fd, const sigset_t& original_mask) {
  ::setsid();
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    return fail("cannot become a subreaper");
  }
  const sigset_t watched = watched_signals();
  const int signal_fd = ::signalfd(-1, &watched, SFD_CLOEXEC);
  int life[2];
  if (signal_fd < 0 || ::pipe2(life, O_CLOEXEC) != 0) {
    return fail("cannot create pipes");
  }
  const pid_t agent = ::fork();
  if (agent < 0) {
    return fail("cannot fork the agent");
  }
  if (agent == 0) {
    become_agent(options, life[0], start_fd.get(), original_mask);
    _exit(fail("cannot execute the agent"));
  }
  ::close(life[0]);
  start_fd.reset();
  close_all(options.handed);
  os::give_back_code_pages();
  const int status = watch(agent, stub_fd, signal_fd, rt::Fd(life[1]));
  end_descendants();
  os::remove_cgroups_of(os::Pid{::getpid()});
  return status;
}

/// Waits for the keeper, forwarding signals that ask it to end and starting what the agent asks
/// for. Returns its exit status.
int wait_for_keeper(const Options& options, pid_t keeper, rt::Fd start_fd,
                    const sigset_t& original_mask) {
  const sigset_t watched = watched_signals();
  const rt::Fd signals(::signalfd(-1, &watched, SFD_CLOEXEC));
  while (true) {
    pollfd fds[2] = {{signals.get(), POLLIN, 0}, {start_fd.get(), POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0) {
      continue;
    }
    if (fds[1].revents != 0) {
      const Result<os::ReceivedStart> start = os::receive_start_request(start_fd.get());
      if (start.has_value()) {
        start_outside(options, *start, original_mask);
      } else if (start.error().code == Errc::Unavailable) {
        start_fd.reset();
      }
    }
    signalfd_siginfo info{};
    if (fds[0].revents == 0 || ::read(signals.get(), &info, sizeof info) != sizeof info) {
      continue;
    }
    int status = 0;
    if (info.ssi_signo != SIGCHLD) {
      ::kill(keeper, SIGTERM);
    } else if (reap(keeper, status)) {
      return status;
    }
  }
}

/// After the keeper was killed the agent and its tasks are the stub's children: gives the agent
/// time to end them, unless the container is told to end.
void wait_for_orphans() {
  const sigset_t watched = watched_signals();
  const int64_t end = now_ms() + kOrphanPatienceMs;
  int64_t left = kOrphanPatienceMs;
  for (; left > 0; left = end - now_ms()) {
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (pid < 0) {
      return;
    }
    const timespec patience{left / 1000, left % 1000 * 1'000'000};
    const int signal = ::sigtimedwait(&watched, nullptr, &patience);
    if (signal > 0 && signal != SIGCHLD) {
      return;
    }
  }
}

}  // namespace

int run(const Options& options) {
  ::signal(SIGCHLD, SIG_DFL);  // Inherited as ignored it would reap our children behind our back.
  const sigset_t watched = watched_signals();
  sigset_t original_mask;
  ::sigprocmask(SIG_BLOCK, &watched, &original_mask);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  int stub[2];
  auto start = os::make_start_socket();
  if (::pipe2(stub, O_CLOEXEC) != 0 || !start.has_value()) {
    return fail("cannot create a pipe");
  }
  const pid_t keeper = ::fork();
  if (keeper < 0) {
    return fail("cannot fork");
  }
  if (keeper == 0) {
    ::close(stub[1]);
    start->first.reset();
    const int status = keep(options, stub[0], std::move(start->second), original_mask);
    if (!options.remove_at_end.empty()) {
      ::unlink(options.remove_at_end.c_str());
    }
    _exit(status);
  }
  ::close(stub[0]);
  start->second.reset();
  close_all(options.held);
  close_all(options.handed);
  os::give_back_code_pages();
  const int status = wait_for_keeper(options, keeper, std::move(start->first), original_mask);
  wait_for_orphans();
  end_descendants();
  os::remove_cgroups_of(os::Pid{keeper});
  if (!options.remove_at_end.empty()) {
    ::unlink(options.remove_at_end.c_str());
  }
  return status;
}

}  // namespace muster::keeper
