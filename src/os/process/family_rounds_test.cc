#include "os/process/family_rounds.h"

#include "rt/fd.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace muster::os {
namespace {

/// A shell that runs what it is told to, line by line.
class ToldShell {
 public:
  ToldShell() {
    int to[2];    // NOLINT: filled by pipe.
    int from[2];  // NOLINT
    EXPECT_EQ(::pipe(to), 0);
    EXPECT_EQ(::pipe(from), 0);
    pid_ = Pid(::fork());
    if (pid_.value == 0) {
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      ::close(to[1]);
      ::close(from[0]);
      ::execl("/bin/sh", "sh", nullptr);
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    to_.reset(to[1]);
    from_.reset(from[0]);
  }
  ToldShell(const ToldShell&) = delete;
  ToldShell& operator=(const ToldShell&) = delete;
  ~ToldShell() { end(); }

  void end() {
    to_.reset();
    if (pid_.value != 0) {
      ::waitpid(pid_.value, nullptr, 0);
    }
    pid_ = Pid();
  }
  [[nodiscard]] Pid pid() const { return pid_; }
  /// Returns the number that the command prints.
  Pid tell(const std::string& command) {
    const std::string line = command + "\n";
    EXPECT_EQ(::write(to_.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
    std::string answer;
    char one = 0;
    while (::read(from_.get(), &one, 1) == 1 && one != '\n') {
      answer += one;
    }
    return Pid(std::stoi(answer));
  }

 private:
  Pid pid_;
  rt::Fd to_;
  rt::Fd from_;
};

/// Returns the members as a round lists them, which must agree with list_family().
std::vector<Pid> next_members(FamilyRounds& rounds, Pid child) {
  const FamilyRound round = rounds.begin();
  if (!round.own) {
    return {};  // A kernel without lists of children.
  }
  std::vector<Pid> members = rounds.members(child, round);
  EXPECT_EQ(members, pids_of(list_family(child, *round.own)));
  return members;
}

using Pids = std::vector<Pid>;

TEST(FamilyRounds, FindWhoCameAndMissWhoEnded) {
  if (!list_own_children()) {
    GTEST_SKIP() << "this kernel does not list children";
  }
  ToldShell shell;
  ToldShell other;
  FamilyRounds rounds;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(next_members(rounds, shell.pid()), Pids{shell.pid()});
  }
  const Pid first = shell.tell("sleep 60 >/dev/null & echo $!");
  EXPECT_EQ(next_members(rounds, shell.pid()), (Pids{shell.pid(), first}));
  const Pid strange = other.tell("sleep 60 >/dev/null & echo $!");
  for (int i = 0; i < 25; ++i) {  // Often enough for a new full listing in between.
    EXPECT_EQ(next_members(rounds, shell.pid()), (Pids{shell.pid(), first}));
  }
  const Pid second = shell.tell("sh -c 'sleep 61 >/dev/null & echo $!; wait' &");
  const Pids four = next_members(rounds, shell.pid());
  EXPECT_EQ(four.size(), 4U);
  EXPECT_EQ(four.back(), second);
  (void)shell.tell("kill " + std::to_string(first.value) + " " + std::to_string(second.value) +
                   "; wait; echo 0");
  EXPECT_EQ(next_members(rounds, shell.pid()), Pids{shell.pid()});
  (void)other.tell("kill " + std::to_string(strange.value) + "; echo 0");
}

TEST(FamilyRounds, KnowSeveralFamiliesAndForgetThem) {
  if (!list_own_children()) {
    GTEST_SKIP() << "this kernel does not list children";
  }
  FamilyRounds rounds;
  ToldShell late;
  {
    ToldShell shell;
    EXPECT_EQ(next_members(rounds, shell.pid()), Pids{shell.pid()});
    EXPECT_EQ(next_members(rounds, shell.pid()), Pids{shell.pid()});
    const Pid gone = shell.pid();
    shell.end();
    EXPECT_EQ(next_members(rounds, gone), Pids{});
  }
  const Pid child = late.tell("sleep 60 >/dev/null & echo $!");
  EXPECT_EQ(next_members(rounds, late.pid()), (Pids{late.pid(), child}))
      << "never asked for before";
  (void)rounds.begin();
  const Pid more = late.tell("sleep 60 >/dev/null & echo $!");
  (void)rounds.begin();
  (void)rounds.begin();
  EXPECT_EQ(next_members(rounds, late.pid()), (Pids{late.pid(), child, more})) << "not asked for";
  (void)late.tell("kill " + std::to_string(child.value) + " " + std::to_string(more.value) +
                  "; echo 0");
}

/// A shell with one child.
class StillMembers : public ::testing::Test {
 protected:
  StillMembers() {
    root_ = read_living(shell_.pid()).value_or(ProcessInfo{});
    child_ = read_living(shell_.tell("sleep 60 >/dev/null & echo $!")).value_or(ProcessInfo{});
  }
  ~StillMembers() override { ::kill(child_.pid.value, SIGKILL); }

  ToldShell shell_;
  ProcessInfo root_;
  ProcessInfo child_;
};

TEST_F(StillMembers, AreThoseWhoLive) {
  const auto still = still_members({root_, child_}, {root_}, {});
  ASSERT_TRUE(still.has_value());
  EXPECT_EQ(pids_of(*still), (Pids{root_.pid, child_.pid}));
  (void)shell_.tell("kill $!; wait; echo 0");
  EXPECT_EQ(pids_of(still_members({root_, child_}, {root_}, {}).value()), Pids{root_.pid});
  EXPECT_EQ(still_members({root_}, {}, {}), std::vector<ProcessInfo>{}) << "all have ended";
}

TEST_F(StillMembers, AreNotThoseWhoGotTheNumberOfOne) {
  ProcessInfo before = child_;
  --before.start_ticks;
  EXPECT_EQ(pids_of(still_members({root_, before}, {root_}, {}).value()), Pids{root_.pid});
  before = root_;
  --before.start_ticks;
  EXPECT_EQ(still_members({before, child_}, {root_}, {}), std::nullopt) << "another root";
}

TEST_F(StillMembers, AreNotThoseWhomAnotherProcessAdopted) {
  ProcessInfo other = root_;
  other.pid = Pid(::getpid());
  other.start_ticks = read_living(other.pid)->start_ticks;
  EXPECT_EQ(pids_of(still_members({other, root_, child_}, {other}, {}).value()),
            (Pids{other.pid, root_.pid, child_.pid}));
  EXPECT_EQ(pids_of(still_members({other, child_}, {other}, {}).value()), Pids{other.pid});
}

TEST_F(StillMembers, AreNotAllWhereOneHasANewChild) {
  EXPECT_EQ(still_members({root_, child_}, {root_}, {child_.pid}), std::nullopt);
  EXPECT_EQ(still_members({root_, child_}, {root_}, {root_.pid}), std::nullopt);
  EXPECT_TRUE(still_members({root_, child_}, {root_}, {Pid(::getpid())}).has_value());
}

}  // namespace
}  // namespace muster::os
