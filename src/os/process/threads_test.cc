#include "os/process/threads.h"

#include "os/process/spawn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace muster::os {
namespace {

/// A child that reads from a pipe on which nothing comes.
class Reader {
 public:
  Reader() {
    SpawnOptions options;
    options.argv = {"/bin/cat"};
    options.stdin_from = ToPipe{};
    options.stdout_to = ToNull{};
    child_ = spawn(options).value();
    while (list_threads(child_.pid, 8).empty() ||
           list_threads(child_.pid, 8).front().name != "cat" ||
           list_threads(child_.pid, 8).front().state != 'S') {
      std::this_thread::yield();
    }
  }
  ~Reader() {
    (void)::kill(child_.pid.value, SIGKILL);
    (void)reap(child_.pid);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  [[nodiscard]] Pid pid() const { return child_.pid; }

 private:
  Spawned child_;
};

TEST(Threads, TellWhatAProcessWaitsFor) {
  const Reader reader;
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
    const Reader reader;
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
