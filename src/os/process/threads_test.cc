#include "os/process/threads.h"

#include "os/process/spawn.h"
#include "rt/fd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

/// A child that has begun to wait, like "cat" on a pipe on which nothing arrives.
class Waiting {
 public:
  explicit Waiting(std::vector<std::string> command) {
    const std::string name = command.front().substr(command.front().rfind('/') + 1);
    SpawnOptions options;
    options.argv = std::move(command);
    options.stdin_from = ToPipe{};
    options.stdout_to = ToNull{};
    child_ = spawn(options).value();
    while (list_threads(child_.pid, 8).empty() ||
           list_threads(child_.pid, 8).front().name != name ||
           list_threads(child_.pid, 8).front().state != 'S') {
      std::this_thread::yield();
    }
  }
  ~Waiting() {
    (void)::kill(child_.pid.value, SIGKILL);
    (void)reap(child_.pid);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  [[nodiscard]] Pid pid() const { return child_.pid; }

 private:
  Spawned child_;
};

TEST(Threads, TellWhatAProcessWaitsFor) {
  const Waiting reader({"/bin/cat"});
  const std::vector<ThreadState> threads = list_threads(reader.pid(), 8);
  ASSERT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads[0].id, reader.pid().value);
  EXPECT_EQ(threads[0].state, 'S');
  // A container may hide it.
  if (!threads[0].system_call.empty()) {
    EXPECT_EQ(threads[0].system_call, "read");
    EXPECT_EQ(threads[0].descriptor, 0);
    EXPECT_EQ(descriptor_target(reader.pid(), 0), "a pipe");
  }
}

TEST(Threads, TellWhatOneOpens) {
  std::string folder = ::testing::TempDir() + "/threads.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string fifo = folder + "/" + std::string(70, 'x');
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Waiting opener({"/bin/cat", fifo});
  const ThreadState opening = list_threads(opener.pid(), 8).front();
  // A container may hide it.
  if (!opening.system_call.empty()) {
    EXPECT_EQ(opening.system_call, "openat");
    EXPECT_EQ(path_of_call(opener.pid(), opening), fifo);
    EXPECT_EQ(call_of_thread(opener.pid(), opener.pid().value).arguments, opening.arguments);
  }
  const Waiting reader({"/bin/cat"});
  EXPECT_EQ(path_of_call(reader.pid(), list_threads(reader.pid(), 8).front()), "");
  ThreadState held = opening;
  held.state = 'D';
  held.wait_channel = "rwsem_down_read_slowpath";
  EXPECT_EQ(path_of_call(opener.pid(), held), "") << "who reads there might be held as well";
  std::filesystem::remove_all(folder);
}

TEST(Threads, TellForHowLongOneSleeps) {
  const Waiting sleeper({"/bin/sleep", "300"});
  const ThreadState asleep = list_threads(sleeper.pid(), 8).front();
  const Waiting reader({"/bin/cat"});
  EXPECT_FALSE(sleeps_for(reader.pid(), list_threads(reader.pid(), 8).front()));
  // A container may hide it, or the kernel may have the call restarted.
  if (asleep.system_call == "clock_nanosleep" || asleep.system_call == "nanosleep") {
    const std::optional<Duration> sleep = sleeps_for(sleeper.pid(), asleep);
    ASSERT_TRUE(sleep);
    EXPECT_LE(*sleep, std::chrono::seconds(300));
    EXPECT_GT(*sleep, std::chrono::seconds(150));
  }
}

TEST(Threads, TellWhetherTimeMayWakeAReader) {
  const auto may_be_woken = [](const rt::Fd& fd) {
    return may_be_woken_by_time(Pid(::getpid()), {.system_call = "read", .descriptor = fd.get()});
  };
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const rt::Fd pipe(ends[0]);
  const rt::Fd other(ends[1]);
  EXPECT_FALSE(may_be_woken(pipe));
  EXPECT_TRUE(may_be_woken(rt::Fd(::timerfd_create(CLOCK_MONOTONIC, 0))));
  const rt::Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  EXPECT_FALSE(may_be_woken(socket));
  const timeval limit{.tv_sec = 1, .tv_usec = 0};
  ASSERT_EQ(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
  // A container may forbid asking.
  if (::syscall(438, -1, 0, 0) == -1 && errno == EBADF) {
    EXPECT_TRUE(may_be_woken(socket));
  }
  const auto before = std::signal(SIGALRM, [](int) {});
  EXPECT_TRUE(may_be_woken(pipe));
  std::signal(SIGALRM, before);
}

TEST(Threads, TellWhetherAWaitHasAnEnd) {
  const auto waits_at_most = [](std::string call, std::array<uint64_t, 5> arguments) {
    return os::waits_at_most({.system_call = std::move(call), .arguments = arguments});
  };
  constexpr auto kForever = static_cast<uint64_t>(-1);
  EXPECT_TRUE(waits_at_most("epoll_wait", {3, 0, 1, 250, 0}));
  EXPECT_FALSE(waits_at_most("epoll_wait", {3, 0, 1, kForever, 0}));
  EXPECT_FALSE(waits_at_most("epoll_pwait", {3, 0, 1, 0xffffffff, 0}));
  EXPECT_TRUE(waits_at_most("poll", {0, 1, 1000, 0, 0}));
  EXPECT_FALSE(waits_at_most("poll", {0, 1, kForever, 0, 0}));
  EXPECT_TRUE(waits_at_most("ppoll", {0, 1, 0x7ffc0000, 0, 0}));
  EXPECT_FALSE(waits_at_most("ppoll", {0, 1, 0, 0, 0}));
  EXPECT_TRUE(waits_at_most("select", {4, 1, 0, 0, 0x7ffc0000}));
  EXPECT_FALSE(waits_at_most("pselect6", {4, 1, 0, 0, 0}));
  EXPECT_FALSE(waits_at_most("futex", {1, 1, 1, 1, 1}));
}

TEST(Threads, TellForHowLongOneSleepsByTheWallClock) {
  timespec until{};
  ASSERT_EQ(::clock_gettime(CLOCK_REALTIME, &until), 0);  // lint: allow(clock) a sleep's end
  until.tv_sec += 300;
  const Pid sleeper(::fork());
  if (sleeper.value == 0) {
    // lint: allow(sleep) what the test is about
    (void)::clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, nullptr);
    ::_exit(0);
  }
  ThreadState asleep;
  do {
    asleep = list_threads(sleeper, 1).at(0);
  } while (asleep.state != 'S');
  const std::optional<Duration> sleep = sleeps_for(sleeper, asleep);
  (void)::kill(sleeper.value, SIGKILL);
  (void)reap(sleeper);
  // A container may hide it.
  if (asleep.system_call == "clock_nanosleep") {
    ASSERT_TRUE(sleep);
    EXPECT_LE(*sleep, std::chrono::seconds(300));
    EXPECT_GT(*sleep, std::chrono::seconds(150));
  }
}

TEST(Threads, TellWhetherAWaitForOthersIsOneOfMilliseconds) {
  // Like threads that wait for a lock with a time limit, and like those that ask again and again.
  const auto waits_for = [](Duration most) {
    const Waiting waiting({"/usr/bin/python3", "-c",
                           fmt::format("import threading\nlock = threading.Lock()\nlock.acquire()\n"
                                       "while True: lock.acquire(timeout={})",
                                       std::chrono::duration<double>(most).count())});
    // A busy machine may let it run late: only the test's own limit ends this.
    for (;; ::sched_yield()) {
      const std::vector<ThreadState> threads = list_threads(waiting.pid(), 8);
      if (!threads.empty() && threads[0].system_call.empty() && threads[0].state == 'S') {
        return std::optional<bool>();  // A container may hide it.
      }
      if (!threads.empty() && threads[0].system_call == "futex" &&
          (most > 1s || waits_for_a_moment(waiting.pid(), threads[0]))) {
        return std::optional(waits_for_a_moment(waiting.pid(), threads[0]));
      }
    }
  };
  EXPECT_TRUE(waits_for(5ms).value_or(true));
  EXPECT_FALSE(waits_for(100s).value_or(false));
}

TEST(Threads, TellWhoHoldsTheLockOfAFile) {
  constexpr std::string_view kLocks =
      "1: FLOCK  ADVISORY  WRITE 812 fd:01:4711 0 EOF\n"
      "1: -> FLOCK  ADVISORY  WRITE 901 fd:01:4711 0 EOF\n"
      "1: -> FLOCK  ADVISORY  WRITE 902 fd:01:4711 0 EOF\n"
      "2: POSIX  ADVISORY  READ  77 fd:01:12 128 128\n"
      "3: OFDLCK ADVISORY  WRITE -1 fd:01:13 0 EOF\n"
      "3: -> OFDLCK ADVISORY  WRITE 903 fd:01:13 0 EOF\n";
  EXPECT_EQ(lock_holder(kLocks, Pid(902)), Pid(812));
  EXPECT_EQ(lock_holder(kLocks, Pid(77)), Pid());
  EXPECT_EQ(lock_holder(kLocks, Pid(4)), Pid());
  EXPECT_EQ(lock_holder("", Pid(901)), Pid());
}

TEST(Threads, BeginWithTheMainThread) {
  std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::yield();
    }
  });
  const std::vector<ThreadState> threads = list_threads(Pid(::getpid()), 64);
  ASSERT_GE(threads.size(), 2U);
  EXPECT_EQ(threads[0].id, ::getpid());
  EXPECT_EQ(list_threads(Pid(::getpid()), 1).size(), 1U);
}

TEST(Threads, OfAProcessThatHasEndedAreNone) {
  Pid pid;
  {
    const Waiting reader({"/bin/cat"});
    pid = reader.pid();
  }
  EXPECT_TRUE(list_threads(pid, 8).empty());
  EXPECT_EQ(descriptor_target(pid, 0), "");
}

TEST(Threads, NameSystemCallsAndNumberTheRest) {
  EXPECT_EQ(system_call_name(SYS_futex), "futex");
  EXPECT_EQ(system_call_name(99999), "system call 99999");
}

}  // namespace
}  // namespace muster::os
