#include "keeper/keeper.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::keeper {
namespace {

/// A container under test: a stub whose agent is a shell script. Each of its processes inherits the
/// write end of one pipe, so that end of file on it means that all of them are gone.
class Container {
 public:
  explicit Container(const std::string& script, const std::string& remove_at_end = "") {
    int pipe_fds[2];
    EXPECT_EQ(::pipe(pipe_fds), 0);
    stub_ = ::fork();
    if (stub_ == 0) {
      ::close(pipe_fds[0]);
      ::dup2(pipe_fds[1], STDOUT_FILENO);
      ::close(pipe_fds[1]);
      // $1 is --life-fd, $2 its number, $4 that of the start socket.
      _exit(run({.agent_argv = {"sh", "-c", script, "agent"},
                 .remove_at_end = remove_at_end,
                 .program = "/bin/sh"}));
    }
    ::close(pipe_fds[1]);
    out_ = pipe_fds[0];
  }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container() {
    ::kill(stub_, SIGKILL);
    ::close(out_);
  }

  [[nodiscard]] pid_t stub() const { return stub_; }

  /// Reads one line of numbers that the script printed.
  std::string line() {
    std::string text;
    char c = 0;
    while (readable() && ::read(out_, &c, 1) == 1 && c != '\n') {
      text += c;
    }
    return text;
  }

  /// Waits until no process holds the pipe any more.
  bool all_gone() {
    char c = 0;
    while (readable()) {
      if (::read(out_, &c, 1) == 0) {
        return true;
      }
    }
    return false;
  }

  int exit_status() {
    int status = 0;
    ::waitpid(stub_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

 private:
  [[nodiscard]] bool readable() const {
    pollfd fd{out_, POLLIN, 0};
    return ::poll(&fd, 1, 20'000) == 1;
  }

  pid_t stub_ = 0;
  int out_ = -1;
};

constexpr const char* kLeftovers =
    "setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000 & wait' &) ; ";

TEST(Keeper, PassesOnTheAgentsExitStatus) {
  Container container("exit 7");
  EXPECT_EQ(container.exit_status(), 7);
}

TEST(Keeper, ReportsTheSignalThatKilledTheAgent) {
  Container container("kill -9 $$");
  EXPECT_EQ(container.exit_status(), 128 + 9);
}

TEST(Keeper, EndsDescendantsInOtherSessionsWhenTheAgentEnds) {
  Container container(std::string(kLeftovers) + "exit 3");
  EXPECT_TRUE(container.all_gone());
  EXPECT_EQ(container.exit_status(), 3);
}

TEST(Keeper, EndsEverythingWhenTheAgentIsKilled) {
  Container container(std::string(kLeftovers) + "echo $$; sleep 1000; true");
  ::kill(std::stoi(container.line()), SIGKILL);
  EXPECT_TRUE(container.all_gone());
}

TEST(Keeper, EndsEverythingWhenTheStubIsKilled) {
  Container container(std::string(kLeftovers) + "echo up; sleep 1000; true");
  EXPECT_EQ(container.line(), "up");
  ::kill(container.stub(), SIGKILL);
  EXPECT_TRUE(container.all_gone());
}

TEST(Keeper, AgentEndsItsTasksWhenTheStubAndThenTheKeeperAreKilled) {
  Container container("echo $$; cat /proc/self/fd/$2 > /dev/null; kill -9 $PPID; echo leaves");
  (void)container.line();
  ::kill(container.stub(), SIGKILL);
  EXPECT_EQ(container.line(), "leaves");
  EXPECT_TRUE(container.all_gone());
}

TEST(Keeper, AgentSeesItsLifePipeCloseWhenTheKeeperIsKilled) {
  Container container("echo $PPID; cat /proc/self/fd/$2 > /dev/null; echo closed; exit 0");
  ::kill(std::stoi(container.line()), SIGKILL);
  EXPECT_EQ(container.line(), "closed");
  EXPECT_TRUE(container.all_gone());
}

TEST(Keeper, StubEndsWhatAKilledKeeperLeft) {
  Container container(std::string(kLeftovers) + "echo $PPID; sleep 1000; true");
  ::kill(std::stoi(container.line()), SIGKILL);
  EXPECT_TRUE(container.all_gone());
  EXPECT_EQ(container.exit_status(), 128 + 9);
}

TEST(Keeper, ForwardsTermToTheAgent) {
  Container container("trap 'echo asked; exit 5' TERM; echo up; while :; do sleep 0.05; done");
  EXPECT_EQ(container.line(), "up");
  ::kill(container.stub(), SIGTERM);
  EXPECT_EQ(container.line(), "asked");
  EXPECT_EQ(container.exit_status(), 5);
}

TEST(Keeper, AStoppedAgentIsKilledWhenItIsToldToEnd) {
  Container container(std::string(kLeftovers) + "echo $$; sleep 1000; true");
  const std::string agent = container.line();
  ::kill(std::stoi(agent), SIGSTOP);
  const auto state = [&] {
    std::string text;
    std::getline(std::ifstream("/proc/" + agent + "/stat"), text);
    return text.at(text.rfind(')') + 2);
  };
  while (state() != 'T') {
    ::sched_yield();
  }
  ::kill(container.stub(), SIGTERM);
  EXPECT_TRUE(container.all_gone());
  EXPECT_EQ(container.exit_status(), 128 + 9);
}

TEST(Keeper, RemovesItsFileAtTheEnd) {
  const auto file =
      std::filesystem::temp_directory_path() / ("keeper." + std::to_string(::getpid()));
  std::ofstream(file) << "claim";
  Container container("exit 0", file);
  EXPECT_EQ(container.exit_status(), 0);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Keeper, SaysSoWhenTheAgentCannotBeExecuted) {
  const pid_t stub = ::fork();
  if (stub == 0) {
    _exit(run({.agent_argv = {"agent"}, .program = "/nonexistent/muster"}));
  }
  int status = 0;
  ::waitpid(stub, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 70);
}

TEST(Keeper, StartsProgramsThatOutliveTheContainer) {
  // Python plays the agent, which asks for a program that waits for end of file on its descriptor 4
  // and then writes to its descriptor 3.
  int answer[2];
  int hold[2];
  ASSERT_EQ(::pipe(answer), 0);
  ASSERT_EQ(::pipe2(hold, O_CLOEXEC), 0);
  const std::string script =
      "import array,socket,sys\n"
      "sock = socket.socket(fileno=int(sys.argv[-1]))\n"
      "words = b'q' + b''.join(w + b'\\0' for w in\n"
      "    [b'python3', b'-c', b'import os; os.read(4, 1); os.write(3, b\"x\")'])\n"
      "fds = array.array('i', [" +
      std::to_string(answer[1]) + "," + std::to_string(hold[0]) +
      "])\n"
      "sock.sendmsg([words], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])\n";
  const pid_t stub = ::fork();
  if (stub == 0) {
    ::fcntl(hold[0], F_SETFD, 0);
    _exit(run({.agent_argv = {"python3", "-c", script},
               .held = {answer[1], hold[0]},
               .program = "/usr/bin/python3"}));
  }
  ::close(answer[1]);
  ::close(hold[0]);
  int status = 0;
  ::waitpid(stub, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::close(hold[1]);
  char byte = 0;
  EXPECT_EQ(::read(answer[0], &byte, 1), 1);
  ::close(answer[0]);
}

}  // namespace
}  // namespace muster::keeper
