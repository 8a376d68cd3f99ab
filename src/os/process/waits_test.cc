// About children of this process, each of which waits in its own way.
#include "os/process/waits.h"

#include "os/process/spawn.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <functional>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::os {
namespace {

/// Runs until it is no longer needed.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : pid_(::fork()) {
    if (pid_.value == 0) {
      work();
      ::_exit(0);
    }
  }
  ~Child() {
    (void)::kill(pid_.value, SIGKILL);
    (void)reap(pid_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] Pid pid() const { return pid_; }

 private:
  Pid pid_;
};

/// Returns the first look at `processes` that `is_it` accepts. There is one, unless the kernel
/// hides system calls.
template <class IsIt>
Waits look_until(const std::vector<Pid>& processes, Pid worker, IsIt is_it) {
  KnownThreads threads;
  Waits waits = look_at_waits(processes, worker, threads);
  while (!is_it(waits)) {
    std::this_thread::yield();
    waits = look_at_waits(processes, worker, threads);
  }
  return waits;
}

TEST(WaitsTest, TellOfOneThatSleeps) {
  const Child child([] {
    ::sleep(1000);  // lint: allow(sleep) what the test is about
  });
  const Waits waits =
      look_until({child.pid()}, child.pid(), [](const Waits& seen) { return seen.for_time; });
  EXPECT_EQ(waits, (Waits{.for_time = true}));
}

TEST(WaitsTest, TellOfOneThatWaitsForAnAnswer) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const Child child([&] {
    pollfd polled{ends[0], POLLIN, 0};
    (void)::poll(&polled, 1, -1);
  });
  const Waits waits =
      look_until({child.pid()}, child.pid(), [](const Waits& seen) { return seen.for_socket; });
  EXPECT_EQ(waits, (Waits{.for_socket = true}));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(WaitsTest, TellOfOneWhoseChildComputes) {
  std::array<int, 2> ends{};
  std::array<int, 2> told{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::pipe(told.data()), 0);
  const Child parent([&] {
    const Child child([] {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      while (true) {
      }
    });
    const Pid pid = child.pid();
    (void)!::write(told[1], &pid.value, sizeof(pid.value));
    char byte = 0;
    (void)!::read(ends[0], &byte, 1);
  });
  Pid child;
  ASSERT_EQ(::read(told[0], &child.value, sizeof(child.value)),
            static_cast<ssize_t>(sizeof(child.value)));
  const std::vector<Pid> both = {parent.pid(), child};
  // Whichever of them has computed more by now.
  for (const Pid worker : both) {
    const Waits waits =
        look_until(both, worker, [](const Waits& seen) { return seen.for_children; });
    EXPECT_FALSE(waits.for_socket);
    EXPECT_FALSE(waits.for_time);
  }
  KnownThreads threads;
  EXPECT_FALSE(look_at_waits(std::vector{parent.pid()}, parent.pid(), threads).for_children)
      << "nobody computes";
  for (const int fd : {ends[0], ends[1], told[0], told[1]}) {
    ::close(fd);
  }
}

TEST(WaitsTest, AreNoneOfOneThatIsGone) {
  KnownThreads threads;
  EXPECT_EQ(look_at_waits({}, Pid(), threads), Waits());
}

TEST(KnownThreadsTest, AreThoseOfPythonAndManyAreListedRarely) {
  const Child sleeper([] { ::pause(); });
  KnownThreads threads;
  EXPECT_TRUE(threads.of(sleeper.pid()).empty());
  std::optional<Child> python(std::in_place, [] {
    const char* const program =
        "import threading\n"
        "rest = threading.Event()\n"
        "for _ in range(40): threading.Thread(target=rest.wait, daemon=True).start()\n"
        "rest.wait()\n";
    ::execlp("python3", "python3", "-c", program, nullptr);
  });
  const Pid pid = python->pid();
  while (KnownThreads().of(pid).size() < 41) {
    std::this_thread::yield();
  }
  EXPECT_EQ(threads.of(pid).size(), 41U);
  python.reset();
  size_t looks = 0;
  while (!threads.of(pid).empty() && looks < 20) {
    ++looks;
  }
  EXPECT_EQ(looks, 9U) << "of one that is gone";
}

}  // namespace
}  // namespace muster::os
