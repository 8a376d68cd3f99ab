#include "os/process/pipes.h"

#include "rt/fd.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::os {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    from = rt::Fd(ends[0]);
    to = rt::Fd(ends[1]);
  }
  rt::Fd from;
  rt::Fd to;
};

/// A process that has all our descriptors but `closed`, until this goes.
class Copy {
 public:
  explicit Copy(int closed) : pid_(::fork()) {
    if (pid_.value == 0) {
      ::close(closed);
      while (true) {
        ::pause();
      }
    }
    // It has closed it.
    while (
        ::fcntl(closed, F_GETFD) >= 0 &&
        ::access(("/proc/" + std::to_string(pid_.value) + "/fd/" + std::to_string(closed)).c_str(),
                 F_OK) == 0) {
      ::sched_yield();
    }
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() {
    ::kill(pid_.value, SIGKILL);
    ::waitpid(pid_.value, nullptr, 0);
  }
  [[nodiscard]] Pid pid() const { return pid_; }

 private:
  Pid pid_;
};

Pid only_reader(Pid writer, int32_t descriptor, std::vector<Pid> processes) {
  return PipeReaders(std::move(processes)).only_reader(writer, descriptor);
}

TEST(Pipes, TellWhoAloneCanRead) {
  const Pipe pipe;
  const Pid self(::getpid());
  const Copy writer(pipe.from.get());
  EXPECT_EQ(only_reader(writer.pid(), pipe.to.get(), std::vector{self, writer.pid()}), self);
  EXPECT_EQ(only_reader(writer.pid(), pipe.to.get(), std::vector{writer.pid()}), Pid());
  const Copy other(pipe.to.get());
  EXPECT_EQ(only_reader(writer.pid(), pipe.to.get(), std::vector{self, writer.pid(), other.pid()}),
            Pid());
  EXPECT_EQ(only_reader(self, pipe.to.get(), std::vector{writer.pid(), other.pid()}), other.pid())
      << "one that only writes does not count";
}

TEST(Pipes, NobodyReadsWhatIsNone) {
  const Pid self(::getpid());
  const rt::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_EQ(only_reader(self, null.get(), std::vector{self}), Pid());
  EXPECT_EQ(only_reader(self, 1 << 20, std::vector{self}), Pid());
  EXPECT_EQ(only_reader(Pid(1 << 30), 1, std::vector{self}), Pid());
}

}  // namespace
}  // namespace muster::os
