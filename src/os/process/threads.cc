#include "os/process/threads.h"

#include "base/text.h"
#include "os/host/proc_text.h"
#include "os/process/signal_set.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <linux/futex.h>
#include <memory>
#include <optional>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

struct KnownCall {
  int64_t number;
  std::string_view name;
  bool takes_descriptor = false;
};

/// Calls in which programs wait. Some exist on one architecture only.
constexpr KnownCall kCalls[] = {
    {SYS_read, "read", true},
    {SYS_pread64, "pread64", true},
    {SYS_readv, "readv", true},
    {SYS_preadv, "preadv", true},
    {SYS_write, "write", true},
    {SYS_pwrite64, "pwrite64", true},
    {SYS_writev, "writev", true},
    {SYS_recvfrom, "recvfrom", true},
    {SYS_recvmsg, "recvmsg", true},
    {SYS_sendto, "sendto", true},
    {SYS_sendmsg, "sendmsg", true},
    {SYS_connect, "connect", true},
    {SYS_accept, "accept", true},
    {SYS_accept4, "accept4", true},
    {SYS_fsync, "fsync", true},
    {SYS_fdatasync, "fdatasync", true},
    {SYS_flock, "flock", true},
    {SYS_fcntl, "fcntl", true},
    {SYS_ioctl, "ioctl", true},
    {SYS_getdents64, "getdents64", true},
    {SYS_futex, "futex"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect6"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
    {SYS_restart_syscall, "restart_syscall"},
    {SYS_io_getevents, "io_getevents"},
    {SYS_openat, "openat"},
    {SYS_newfstatat, "newfstatat"},
    {SYS_munmap, "munmap"},
    {SYS_mmap, "mmap"},
    {SYS_madvise, "madvise"},
#ifdef SYS_poll
    {SYS_poll, "poll"},
#endif
#ifdef SYS_select
    {SYS_select, "select"},
#endif
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "epoll_wait"},
#endif
#ifdef SYS_pause
    {SYS_pause, "pause"},
#endif
};

const KnownCall* find_call(int64_t number) {
  const auto* const found = std::ranges::find(kCalls, number, &KnownCall::number);
  return found == std::end(kCalls) ? nullptr : found;
}

template <class Number>
std::optional<Number> parse(std::string_view text, int base) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                   : std::nullopt;
}

/// "0 0x3 0x7ffd... ...", "running", or "-1 ..." outside of any call.
void read_call(std::string_view text, ThreadState& thread) {
  const std::vector<std::string_view> words = split(trim(text), ' ');
  const auto number = parse<int64_t>(words.empty() ? "" : words[0], 10);
  if (!number || *number < 0) {
    return;
  }
  thread.system_call = system_call_name(*number);
  for (size_t i = 0; i < thread.arguments.size() && i + 1 < words.size(); ++i) {
    if (words[i + 1].starts_with("0x")) {
      thread.arguments[i] = parse<uint64_t>(words[i + 1].substr(2), 16).value_or(0);
    }
  }
  const KnownCall* const known = find_call(*number);
  if (known != nullptr && known->takes_descriptor && words.size() > 1 &&
      words[1].starts_with("0x")) {
    thread.descriptor = parse<int32_t>(words[1].substr(2), 16).value_or(-1);
  }
}

/// Parses the name in parentheses, which may contain any character, and the state after it.
void read_stat(std::string_view text, ThreadState& thread) {
  const size_t open = text.find(" (");
  const size_t close = text.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos ||
      close + 2 >= text.size()) {
    return;
  }
  thread.name = printable(text.substr(open + 2, close - open - 2));
  thread.state = text[close + 2];
}

}  // namespace

std::string system_call_name(int64_t number) {
  const KnownCall* const known = find_call(number);
  return known == nullptr ? fmt::format("system call {}", number) : std::string(known->name);
}

uint64_t count_sleeps(Pid pid, int32_t thread) {
  return number_after(read_proc_record(fmt::format("/proc/{}/task/{}/status", pid.value, thread)),
                      "voluntary_ctxt_switches:")
      .value_or(0);
}

rt::Fd copy_descriptor(Pid pid, int32_t descriptor) {
  // By its number, because the oldest C libraries that we build with do not know it. Linux before
  // 5.6 does not have it.
  constexpr int64_t kPidfdGetfd = 438;
  const rt::Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid.value, 0)));
  return rt::Fd(process.valid()
                    ? static_cast<int>(::syscall(kPidfdGetfd, process.get(), descriptor, 0))
                    : -1);
}

namespace {

/// Returns whether it is a socket with a time limit on waiting.
bool limits_waits(Pid pid, int32_t descriptor) {
  const rt::Fd copy = copy_descriptor(pid, descriptor);
  timeval limit{};
  socklen_t size = sizeof limit;
  return copy.valid() && ::getsockopt(copy.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, &size) == 0 &&
         (limit.tv_sec != 0 || limit.tv_usec != 0);
}

}  // namespace

bool may_be_woken_by_time(Pid pid, const ThreadState& thread) {
  const std::string target = descriptor_target(pid, thread.descriptor);
  return target == "anon_inode:[timerfd]" ||
         holds_signal(read_proc_record(fmt::format("/proc/{}/status", pid.value)),
                      "SigCgt:", SIGALRM) ||
         (target == kSocketTarget && limits_waits(pid, thread.descriptor));
}

bool read_memory(Pid pid, uint64_t address, void* to, size_t size) {
  const rt::Fd memory(::open(fmt::format("/proc/{}/mem", pid.value).c_str(), O_RDONLY | O_CLOEXEC));
  return memory.valid() && address <= INT64_MAX &&
         ::pread(memory.get(), to, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

namespace {

/// Converts a timespec or timeval, which may hold any numbers, as it is another process's.
Duration duration_of(int64_t seconds, std::chrono::microseconds rest) {
  // Far beyond any wall-clock time, yet without overflow in microseconds.
  constexpr int64_t kLongest = 1'000'000'000'000;
  return std::chrono::seconds(std::clamp<int64_t>(seconds, 0, kLongest)) + rest;
}

Duration duration_of(const timespec& time) {
  return duration_of(time.tv_sec, std::chrono::microseconds(time.tv_nsec / 1000));
}

Duration duration_of(const timeval& time) {
  return duration_of(time.tv_sec, std::chrono::microseconds(time.tv_usec));
}

/// Reads a time that was passed to a call from the memory of the process. For select() it is a
/// timeval.
template <class Time = timespec>
std::optional<Duration> time_at(Pid pid, uint64_t address) {
  Time time{};
  return address != 0 && read_memory(pid, address, &time, sizeof time)
             ? std::optional(duration_of(time))
             : std::nullopt;
}

/// Returns how long it is until the time on a clock at which a sleep ends.
std::optional<Duration> time_until(Pid pid, uint64_t clock, uint64_t address) {
  timespec now{};
  const std::optional<Duration> end = time_at(pid, address);
  // lint: allow(clock) compared with what another process reads off it
  if (!end || ::clock_gettime(static_cast<clockid_t>(clock), &now) != 0) {
    return std::nullopt;
  }
  return std::max(*end - duration_of(now), Duration::zero());
}

}  // namespace

std::optional<Duration> sleeps_for(Pid pid, const ThreadState& thread) {
  const auto [first, second, third, fourth, fifth] = thread.arguments;
  const std::string_view call = thread.system_call;
  if (call == "nanosleep") {
    return time_at(pid, first);
  }
  if (call == "clock_nanosleep") {
    return (second & TIMER_ABSTIME) != 0 ? time_until(pid, first, third) : time_at(pid, third);
  }
  if (call == "select" && first == 0) {
    return time_at<timeval>(pid, fifth);
  }
  if (call == "pselect6" && first == 0) {
    return time_at(pid, fifth);
  }
  if (call == "poll" && second == 0 && static_cast<int32_t>(third) >= 0) {
    return std::chrono::milliseconds(static_cast<int32_t>(third));
  }
  return call == "ppoll" && second == 0 ? time_at(pid, third) : std::nullopt;
}

bool waits_at_most(const ThreadState& thread) {
  const auto [first, second, third, fourth, fifth] = thread.arguments;
  const std::string_view call = thread.system_call;
  if (call == "epoll_wait" || call == "epoll_pwait") {
    return static_cast<int32_t>(fourth) > 0;
  }
  if (call == "poll") {
    return static_cast<int32_t>(third) > 0;
  }
  return call == "ppoll" ? third != 0 : (call == "select" || call == "pselect6") && fifth != 0;
}

bool waits_for_a_moment(Pid pid, const ThreadState& thread) {
  // Python's interval is 5 ms, unless a program sets another one.
  constexpr Duration kMoment = std::chrono::milliseconds(6);
  constexpr uint64_t kCommand = ~uint64_t{FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME};
  const auto [address, operation, value, deadline, more] = thread.arguments;
  if (thread.system_call != "futex" || (operation & kCommand) != FUTEX_WAIT_BITSET) {
    return false;
  }
  const bool wall = (operation & FUTEX_CLOCK_REALTIME) != 0;
  const std::optional<Duration> left =
      time_until(pid, wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, deadline);
  return left && *left <= kMoment;
}

Pid lock_holder(std::string_view proc_locks, Pid waiting) {
  // "1: POSIX  ADVISORY  WRITE 812 fd:01:4711 0 EOF", and below it, for each process that waits for
  // it, "1: -> POSIX  ADVISORY  WRITE 901 fd:01:4711 0 EOF".
  Pid holder;
  for (const std::string_view line : split(proc_locks, '\n')) {
    std::vector<std::string_view> words = split(line, ' ');
    std::erase(words, "");
    const bool waits = words.size() > 1 && words[1] == "->";
    const size_t at = waits ? 5 : 4;
    const Pid pid(words.size() > at ? parse<int32_t>(words[at], 10).value_or(0) : 0);
    if (!waits) {
      holder = pid;
    } else if (pid == waiting) {
      return holder;
    }
  }
  return {};
}

std::optional<bool> waits_for_threads(Pid pid) {
  const std::string text = read_proc_record(fmt::format("/proc/{}/syscall", pid.value));
  if (text.empty()) {
    return std::nullopt;
  }
  const auto number = parse<int64_t>(std::string_view(text).substr(0, text.find(' ')), 10);
  return number == SYS_futex;
}

ThreadState call_of_thread(Pid pid, int32_t thread) {
  ThreadState state{.id = thread, .name = {}, .wait_channel = {}, .system_call = {}};
  read_call(read_proc_record(fmt::format("/proc/{}/task/{}/syscall", pid.value, thread)), state);
  return state;
}

std::string path_of_call(Pid pid, const ThreadState& thread) {
  // A thread that waits for its process's memory map keeps others from reading that memory.
  const bool may_hold =
      thread.state != 'S' &&
      (thread.wait_channel.empty() || thread.wait_channel.find("rwsem") != std::string::npos ||
       thread.wait_channel.find("page") != std::string::npos);
  if ((thread.system_call != "openat" && thread.system_call != "newfstatat") || may_hold) {
    return "";
  }
  constexpr uint64_t kPiece = 64;  // Begins and ends within one page.
  constexpr size_t kPathMax = 256;
  std::string path;
  for (uint64_t address = thread.arguments[1]; address != 0 && path.size() < kPathMax;) {
    std::array<char, kPiece> bytes{};
    const size_t size = kPiece - address % kPiece;
    if (!read_memory(pid, address, bytes.data(), size)) {
      return "";
    }
    const std::string_view piece(bytes.data(), size);
    path += piece.substr(0, piece.find('\0'));
    if (piece.find('\0') != std::string_view::npos) {
      break;
    }
    address += size;
  }
  return printable(path);
}

std::string descriptor_target(Pid pid, int32_t descriptor) {
  std::error_code failed;
  const std::string target =
      std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", pid.value, descriptor), failed)
          .string();
  if (failed) {
    return "";
  }
  if (target.starts_with("pipe:")) {
    return std::string(kPipeTarget);
  }
  if (target.starts_with("socket:")) {
    return std::string(kSocketTarget);
  }
  return printable(target);
}

std::vector<Pid> stopped_among(std::vector<Pid> processes) {
  std::erase_if(processes, [](Pid pid) {
    ThreadState main{.name = {}, .wait_channel = {}, .system_call = {}};
    read_stat(read_proc(fmt::format("/proc/{}/stat", pid.value)), main);
    return main.state != 'T';
  });
  return processes;
}

void continue_others(const std::vector<Pid>& processes, const std::vector<Pid>& stood) {
  for (const Pid pid : processes) {
    if (std::ranges::find(stood, pid) == stood.end()) {
      (void)::kill(pid.value, SIGCONT);
    }
  }
}

std::vector<int32_t> thread_ids(Pid pid, size_t count_max) {
  std::vector<int32_t> ids;
  const std::string folder = fmt::format("/proc/{}/task", pid.value);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  while (entries != nullptr && ids.size() < count_max) {
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr) {
      break;
    }
    if (const auto id = parse<int32_t>(entry->d_name, 10)) {
      ids.push_back(*id);
    }
  }
  return ids;
}

std::vector<ThreadState> list_threads(Pid pid, size_t count_max) {
  std::vector<int32_t> ids = thread_ids(pid, count_max);
  std::ranges::sort(ids, {}, [&](int32_t id) { return std::pair(id != pid.value, id); });
  std::vector<ThreadState> threads;
  for (const int32_t id : ids) {
    ThreadState thread{.id = id, .name = {}, .wait_channel = {}, .system_call = {}};
    const std::string place = fmt::format("/proc/{}/task/{}/", pid.value, id);
    read_stat(read_proc(place + "stat"), thread);
    if (thread.state == '?') {
      continue;  // It has just ended.
    }
    const std::string channel = read_proc(place + "wchan");
    thread.wait_channel = channel == "0" ? "" : printable(trim(channel));
    read_call(read_proc(place + "syscall"), thread);
    threads.push_back(std::move(thread));
  }
  return threads;
}

}  // namespace muster::os
