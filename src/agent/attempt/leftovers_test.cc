#include "agent/attempt/leftovers.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::agent {
namespace {

constexpr job::AttemptId kAttempt{{job::RoleIndex{0}, 3}, 2};
const AttemptMark kMark{"digits-1", "worker", 3, 2};

TEST(Leftovers, KnowsTheMarkOfAnAttempt) {
  const std::string environ(
      "A=1\0MUSTER_JOB_ID=digits-1\0MUSTER_ROLE=worker\0MUSTER_INDEX=3\0MUSTER_ATTEMPT=2\0", 77);
  EXPECT_TRUE(carries(environ, kMark));
  EXPECT_FALSE(carries(environ, {"digits-1", "worker", 3, 1}));
  EXPECT_FALSE(carries(environ, {"digits", "worker", 3, 2}));
  EXPECT_FALSE(carries("", kMark));
  EXPECT_FALSE(carries("XMUSTER_ATTEMPT=2", kMark));
}

/// Starts a process in its own session with a given environment; the process reports when it has
/// been executed.
pid_t start_daemon(const char* const* environment,
                   const char* command = "echo up; exec sleep 1000") {
  int pipe_fds[2];
  EXPECT_EQ(::pipe(pipe_fds), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setsid();
    ::dup2(pipe_fds[1], 1);
    const char* const argv[] = {"sh", "-c", command, nullptr};
    ::execve("/bin/sh", const_cast<char* const*>(argv), const_cast<char* const*>(environment));
    _exit(1);
  }
  ::close(pipe_fds[1]);
  char byte = 0;
  EXPECT_EQ(::read(pipe_fds[0], &byte, 1), 1);
  ::close(pipe_fds[0]);
  return pid;
}

bool ended_by_kill(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

TEST(Leftovers, EndsDaemonsByTheirEnvironment) {
  const char* const environment[] = {"MUSTER_JOB_ID=digits-1", "MUSTER_ROLE=worker",
                                     "MUSTER_INDEX=3",         "MUSTER_ATTEMPT=2",
                                     "PATH=/bin:/usr/bin",     nullptr};
  const pid_t daemon = start_daemon(environment);
  ProcLeftovers leftovers{os::Pid{::getpid()}};
  EXPECT_EQ(leftovers.end({{job::RoleIndex{0}, 3}, 1}, {"digits-1", "worker", 3, 1}), 0U);
  EXPECT_GE(leftovers.end(kAttempt, kMark), 1U);
  EXPECT_TRUE(ended_by_kill(daemon));
}

TEST(Leftovers, FindsAProgramThatIsBeingReplacedByAnother) {
  const char* const environment[] = {"MUSTER_JOB_ID=digits-1", "MUSTER_ROLE=worker",
                                     "MUSTER_INDEX=3",         "MUSTER_ATTEMPT=2",
                                     "PATH=/bin:/usr/bin",     nullptr};
  for (int i = 0; i < 50; ++i) {
    const pid_t daemon =
        start_daemon(environment, R"(echo up; export s='exec sh -c "$s"'; eval "$s")");
    ProcLeftovers leftovers{os::Pid{::getpid()}};
    const size_t ended = leftovers.end(kAttempt, kMark);
    EXPECT_EQ(ended, 1U);
    ::kill(daemon, SIGKILL);
    ASSERT_TRUE(ended_by_kill(daemon));
  }
}

TEST(Leftovers, EndsThoseThatWipedTheirEnvironmentButWereSeen) {
  const char* const environment[] = {"PATH=/bin:/usr/bin", nullptr};
  const pid_t daemon = start_daemon(environment);
  const pid_t other = start_daemon(environment);
  ProcLeftovers leftovers{os::Pid{::getpid()}};
  leftovers.saw(kAttempt, {os::Pid{1'000'000}, os::Pid{daemon}});
  EXPECT_GE(leftovers.end(kAttempt, kMark), 1U);
  EXPECT_TRUE(ended_by_kill(daemon));
  EXPECT_EQ(::kill(other, 0), 0) << "not seen, not marked: not ours";
  ::kill(other, SIGKILL);
  EXPECT_TRUE(ended_by_kill(other));
}

TEST(Leftovers, KeepsInMindThoseWhoLeftTheFamily) {
  const char* const environment[] = {"PATH=/bin:/usr/bin", nullptr};
  const pid_t daemon = start_daemon(environment);
  const pid_t ended = start_daemon(environment);
  const pid_t other = start_daemon(environment);
  ProcLeftovers leftovers{os::Pid{::getpid()}};
  leftovers.saw(kAttempt, {os::Pid{daemon}, os::Pid{ended}});
  ::kill(ended, SIGKILL);
  EXPECT_TRUE(ended_by_kill(ended));
  leftovers.saw(kAttempt, {os::Pid{1'000'000}, os::Pid{other}});
  EXPECT_EQ(leftovers.end(kAttempt, kMark), 2U);
  EXPECT_TRUE(ended_by_kill(daemon));
  EXPECT_TRUE(ended_by_kill(other));
}

}  // namespace
}  // namespace muster::agent
