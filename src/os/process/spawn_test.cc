#include "os/process/spawn.h"

#include "os/host/limits.h"
#include "os/process/command.h"
#include "os/process/process_tree.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

SpawnOptions shell(std::string script) {
  return {.argv = {"/bin/sh", "-c", std::move(script)}, .env = {{"PATH", "/usr/bin:/bin"}}};
}

std::string output_of(SpawnOptions options) {
  const auto output = run_command(std::move(options), 10s);
  EXPECT_TRUE(output.has_value()) << output.error().message;
  return output.has_value() ? output->stdout_text : "";
}

TEST(Spawn, GivesExactlyTheNamedEnvironmentAndFolder) {
  SpawnOptions options = shell("pwd; env -u PWD -u SHLVL -u _ | sort");
  options.env["A"] = "1 2";
  options.folder = "/usr";
  EXPECT_EQ(output_of(options), "/usr\nA=1 2\nPATH=/usr/bin:/bin\n");
}

TEST(Spawn, LooksThePathUpInTheChildsEnvironment) {
  EXPECT_EQ(output_of({.argv = {"echo", "found"}, .env = {{"PATH", "/nowhere::/bin"}}}), "found\n");
}

TEST(Spawn, TellsMissingFromNotExecutable) {
  const auto missing = spawn({.argv = {"/nowhere/program"}});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Errc::NotFound);
  EXPECT_EQ(missing.error().blame, Blame::User);

  const auto not_in_path = spawn({.argv = {"no-such-program"}, .env = {{"PATH", "/usr/bin"}}});
  ASSERT_FALSE(not_in_path.has_value());
  EXPECT_EQ(not_in_path.error().code, Errc::NotFound);

  const auto forbidden = spawn({.argv = {"/etc/passwd"}});
  ASSERT_FALSE(forbidden.has_value());
  EXPECT_EQ(forbidden.error().code, Errc::PermissionDenied);

  const auto no_folder = spawn({.argv = {"/bin/true"}, .folder = "/nowhere"});
  ASSERT_FALSE(no_folder.has_value());
  EXPECT_EQ(no_folder.error().code, Errc::NotFound);
  EXPECT_NE(no_folder.error().message.find("/nowhere"), std::string::npos);

  EXPECT_FALSE(spawn({}).has_value());
}

TEST(Spawn, NamesAMissingInterpreter) {
  const std::string path = ::testing::TempDir() + "/script_without_interpreter";
  std::ofstream(path) << "#!/nowhere/interpreter\n";
  ::chmod(path.c_str(), 0755);
  const auto failed = spawn({.argv = {path}});
  ASSERT_FALSE(failed.has_value());
  EXPECT_NE(failed.error().message.find("interpreter"), std::string::npos);
}

TEST(Spawn, RefusesAnEnvironmentTheKernelCannotTake) {
  const auto failed = spawn({.argv = {"/bin/true"}, .env = {{"BIG", std::string(200'000, 'x')}}});
  ASSERT_FALSE(failed.has_value());
  EXPECT_NE(failed.error().message.find("too large"), std::string::npos);
}

TEST(Spawn, TellsCodeAndSignal) {
  const auto code = spawn(shell("exit 7"));
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(reap(code->pid)->code, 7);

  const auto signal = spawn(shell("kill -TERM $$"));
  ASSERT_TRUE(signal.has_value());
  const auto exit = reap(signal->pid);
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->signal, SIGTERM);
  EXPECT_EQ(exit->code, std::nullopt);
  EXPECT_GT(exit->memory_peak_bytes, 100'000U);
  EXPECT_EQ(reap(signal->pid).error().code, Errc::NotFound);
}

TEST(Spawn, LeaksNoDescriptor) {
  const int leaky = ::open("/dev/null", O_RDONLY);  // Without close-on-exec, as a library might.
  ASSERT_GE(leaky, 3);
  EXPECT_EQ(output_of(shell("ls /proc/self/fd | tr '\\n' ' '")), "0 1 2 3 ");  // 3 is ls's own.
  ::close(leaky);
}

TEST(Spawn, KeepsDescriptorsUnderTheirNumbers) {
  std::array<int, 2> one{};
  std::array<int, 2> two{};
  ASSERT_EQ(::pipe2(one.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(two.data(), O_CLOEXEC), 0);
  SpawnOptions options = shell("echo first >&5; echo second >&9");
  // Numbers that cross those of the parent.
  options.keep = {{.parent_fd = one[1], .child_fd = 5}, {.parent_fd = two[1], .child_fd = 9}};
  const auto child = spawn(options);
  ASSERT_TRUE(child.has_value());
  ASSERT_TRUE(reap(child->pid).has_value());
  std::array<char, 16> text{};
  EXPECT_EQ(::read(one[0], text.data(), text.size()), 6);
  EXPECT_EQ(std::string(text.data()), "first\n");
  EXPECT_EQ(::read(two[0], text.data(), text.size()), 7);
  for (const int fd : {one[0], one[1], two[0], two[1]}) {
    ::close(fd);
  }
}

TEST(Spawn, AppendsToFiles) {
  const std::string path = ::testing::TempDir() + "/spawn_output";
  ::unlink(path.c_str());
  for (const char* script : {"echo one", "echo two"}) {
    SpawnOptions options = shell(script);
    options.stdout_to = ToFile{path};
    const auto child = spawn(options);
    ASSERT_TRUE(child.has_value());
    ASSERT_TRUE(reap(child->pid).has_value());
  }
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "one\ntwo\n");
}

TEST(Spawn, MergesStreamsInTheOrderInWhichTheyAreWritten) {
  SpawnOptions options = shell("echo a; echo b >&2; echo c; test -p /dev/stderr && echo d >&2");
  options.stdout_to = ToPipe{};
  options.stderr_to = ToNull{};
  options.merges_streams = true;
  auto child = spawn(options);
  ASSERT_TRUE(child.has_value());
  EXPECT_FALSE(child->stderr_pipe.valid());
  ASSERT_TRUE(reap(child->pid).has_value());
  std::array<char, 64> bytes{};
  const ssize_t got = ::read(child->stdout_pipe.get(), bytes.data(), bytes.size());
  ASSERT_GT(got, 0);
  EXPECT_EQ(std::string(bytes.data(), static_cast<size_t>(got)), "a\nb\nc\nd\n");
  EXPECT_EQ(::read(child->stdout_pipe.get(), bytes.data(), bytes.size()), 0);  // Nobody holds it.
}

TEST(Spawn, LeadsAGroupOrASession) {
  for (const auto& [grouping, session] :
       {std::pair(Grouping::NewGroup, false), std::pair(Grouping::NewSession, true)}) {
    SpawnOptions options = shell("exec sleep 60");
    options.grouping = grouping;
    const auto child = spawn(options);
    ASSERT_TRUE(child.has_value());
    EXPECT_EQ(::getpgid(child->pid.value), child->pid.value);
    EXPECT_EQ(::getsid(child->pid.value) == child->pid.value, session);
    EXPECT_TRUE(signal_group(child->pid, SIGKILL).has_value());
    EXPECT_EQ(reap(child->pid)->signal, SIGKILL);
  }
}

TEST(Spawn, ResetsSignals) {
  ::signal(SIGPIPE, SIG_IGN);
  // 32 is glibc's own: only the kernel's call can ignore it, and only that call can undo it.
  constexpr int kInternalSignal = 32;
  const std::array<uint64_t, 4> ignore = {reinterpret_cast<uint64_t>(SIG_IGN), 0, 0, 0};
  ASSERT_EQ(::syscall(SYS_rt_sigaction, kInternalSignal, ignore.data(), nullptr, sizeof(uint64_t)),
            0);
  SpawnOptions options = shell("grep -E 'Sig(Blk|Ign)' /proc/self/status | cut -f2");
  EXPECT_EQ(output_of(options), "0000000000000000\n0000000000000000\n");
  ::signal(SIGPIPE, SIG_DFL);
  const std::array<uint64_t, 4> standard{};
  ::syscall(SYS_rt_sigaction, kInternalSignal, standard.data(), nullptr, sizeof(uint64_t));
}

/// Returns the soft limit of descriptors that a program sees if it is started by a process that
/// began with 100 of them, raised its limit and holds 200.
int limit_of_a_program() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 100;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  raise_descriptor_limit();
  raise_descriptor_limit();
  for (int held = 0; held < 200; ++held) {
    if (::open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) {
      return -1;
    }
  }
  const auto child = spawn(shell("exit $(ulimit -Sn)"));
  return child.has_value() ? reap(child->pid)->code.value_or(-1) : -1;
}

TEST(Spawn, GivesAProgramTheDescriptorsThatThisProcessWasStartedWith) {
  // In a separate process, because the earlier limit is remembered for good.
  const pid_t process = ::fork();
  if (process == 0) {
    ::_exit(limit_of_a_program());
  }
  EXPECT_EQ(reap(Pid(process))->code, 100);
}

/// Spawns some programs in their own sessions while somebody holds down Ctrl-C. Returns how many of
/// them died of it.
int died_of_interrupts() {
  ::setpgid(0, 0);
  ::signal(SIGINT, SIG_IGN);
  const pid_t presser = ::fork();
  if (presser == 0) {
    while (true) {
      ::kill(0, SIGINT);
    }
  }
  int died = 0;
  for (int count = 0; count < 50; ++count) {
    const auto child = spawn({.argv = {"/bin/true"}, .grouping = Grouping::NewSession});
    died += child.has_value() && reap(child->pid)->code == 0 ? 0 : 1;
  }
  ::kill(presser, SIGKILL);
  ::waitpid(presser, nullptr, 0);
  return died;
}

TEST(Spawn, WhoLeavesItsGroupIsNotMetByThatGroupsSignals) {
  const pid_t group = ::fork();
  if (group == 0) {
    ::_exit(died_of_interrupts());
  }
  EXPECT_EQ(reap(Pid(group))->code, 0);
}

TEST(Spawn, ChildDiesWithItsParent) {
  SpawnOptions options = shell("exec sleep 60");
  options.parent_death_signal = SIGKILL;
  std::array<int, 2> alive{};
  ASSERT_EQ(::pipe2(alive.data(), O_CLOEXEC), 0);
  options.keep = {{.parent_fd = alive[1], .child_fd = 3}};
  const pid_t parent = ::fork();
  if (parent == 0) {
    ::_exit(spawn(options).has_value() ? 0 : 1);
  }
  ::close(alive[1]);
  ASSERT_EQ(reap(Pid(parent))->code, 0);
  char byte = 0;
  EXPECT_EQ(::read(alive[0], &byte, 1), 0);  // Returns when the grandchild's copy is closed.
  ::close(alive[0]);
}

TEST(RunCommand, EndsWhatTakesTooLong) {
  const auto hung = run_command(shell("sleep 60 & sleep 60"), 20ms);
  ASSERT_FALSE(hung.has_value());
  EXPECT_EQ(hung.error().code, Errc::DeadlineExceeded);
  const auto silent = run_command(shell("exec >&-; sleep 60"), 20ms);
  ASSERT_FALSE(silent.has_value());
  EXPECT_EQ(silent.error().code, Errc::DeadlineExceeded);
}

TEST(RunCommand, RefusesFloods) {
  EXPECT_FALSE(run_command(shell("yes"), 10s, 10'000).has_value());
}

}  // namespace
}  // namespace muster::os
