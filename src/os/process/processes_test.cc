#include "os/process/processes.h"

#include "os/process/signals.h"
#include "testing/refused_syscalls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

SpawnOptions shell(std::string script) {
  return {.argv = {"/bin/sh", "-c", std::move(script)},
          .env = {{"PATH", "/usr/bin:/bin"}},
          .stdout_to = ToPipe{},
          .stderr_to = ToPipe{},
          .grouping = Grouping::NewGroup};
}

/// Runs one child to its end and keeps what it said.
struct OneChild {
  explicit OneChild(const SpawnOptions& options) {
    auto spawned = processes->spawn(options, {.output =
                                                  [this](Stream stream, std::string_view bytes) {
                                                    (stream == Stream::Stdout ? out : err) += bytes;
                                                    output_at_exit =
                                                        output_at_exit && !exit.has_value();
                                                    if (on_output) {
                                                      on_output();
                                                    }
                                                  },
                                              .exited =
                                                  [this](const Exit& ended) {
                                                    EXPECT_FALSE(exit.has_value());
                                                    exit = ended;
                                                    loop.stop();
                                                  }});
    EXPECT_TRUE(spawned.has_value());
    pid = spawned.value_or(Pid());
  }
  void run() { loop.run_until(loop.now() + 10s); }

  rt::IoLoop loop;
  std::unique_ptr<Processes> processes = make_processes(loop);
  Pid pid;
  std::string out;
  std::string err;
  bool output_at_exit = true;
  std::optional<Exit> exit;
  std::function<void()> on_output;
};

TEST(Processes, DeliversAllOutputBeforeTheExit) {
  OneChild child(shell("head -c 300000 /dev/zero | tr '\\0' x; echo bad >&2; exit 3"));
  child.run();
  ASSERT_TRUE(child.exit.has_value());
  EXPECT_EQ(child.exit->code, 3);
  EXPECT_EQ(child.out.size(), 300'000U);
  EXPECT_EQ(child.err, "bad\n");
  EXPECT_TRUE(child.output_at_exit);
}

TEST(Processes, ReadsManySmallPiecesInBatches) {
  OneChild child(shell("i=0; while [ $i -lt 5000 ]; do echo line; i=$((i+1)); done"));
  int pieces = 0;
  child.on_output = [&pieces] { ++pieces; };
  child.run();
  EXPECT_EQ(child.out.size(), 5000U * 5);
  EXPECT_LT(pieces, 2500);
}

TEST(Processes, TellsTheExitWhileAGrandchildHoldsTheOutput) {
  OneChild child(shell("sleep 60 & echo started; exit 0"));
  child.run();
  ASSERT_TRUE(child.exit.has_value());
  EXPECT_EQ(child.out, "started\n");
  EXPECT_EQ(child.processes->family(child.pid).size(), 1U);
  EXPECT_EQ(child.processes->signal_family(child.pid, SIGKILL), 1U);
  child.processes->close_output(child.pid);
}

TEST(Processes, SignalsTheWholeFamilyWhateverItsGroups) {
  OneChild child(shell("setsid sh -c 'echo a; exec sleep 60' & (sh -c 'echo b; sleep 60') & wait"));
  child.on_output = [&] {
    if (std::ranges::count(child.out, '\n') == 2) {
      EXPECT_GE(child.processes->family(child.pid).size(), 3U);
      EXPECT_GE(child.processes->members(child.pid).size(), 3U);
      EXPECT_GE(child.processes->signal_family(child.pid, SIGKILL), 3U);
    }
  };
  child.run();
  ASSERT_TRUE(child.exit.has_value());
  EXPECT_EQ(child.exit->signal, SIGKILL);
}

TEST(Processes, SignalsThoseOfAFamilyThatIgnoreASignal) {
  // What a shell without job control puts into the background ignores INT.
  OneChild child(
      shell("sh -c 'trap \"echo deaf\" TERM; echo up; while :; do sleep 0.02; done' & "
            "sh -c 'trap \"echo hears\" INT TERM; echo up; while :; do sleep 0.02; "
            "done'"));
  bool asked = false;
  child.on_output = [&] {
    if (!asked && std::ranges::count(child.out, '\n') == 2) {
      asked = true;
      EXPECT_GE(child.processes->signal_ignoring(child.pid, SIGINT, SIGTERM), 1U);
    }
    if (child.out.find("deaf") != std::string::npos) {
      EXPECT_EQ(child.out.find("hears"), std::string::npos);
      child.processes->signal_family(child.pid, SIGKILL);
    }
  };
  child.run();
  EXPECT_NE(child.out.find("deaf"), std::string::npos);
}

TEST(Processes, TellThoseWhoAreStoppedToGoOn) {
  OneChild child(shell("echo up; kill -STOP $$; echo on"));
  child.on_output = [&] {
    if (child.out != "up\n") {
      return;
    }
    while (child.processes->stopped(child.pid).empty()) {
      std::this_thread::yield();
    }
    child.processes->go_on(child.pid, {child.pid});
    EXPECT_EQ(child.processes->stopped(child.pid), std::vector{child.pid});
    child.processes->go_on(child.pid, {});
  };
  child.run();
  EXPECT_EQ(child.out, "up\non\n");
}

TEST(Processes, OutputMayBeClosedInItsOwnCallback) {
  OneChild child(shell("trap '' PIPE; echo one; sleep 0.01; echo two; exit 0"));
  int calls = 0;
  child.on_output = [&] {
    ++calls;
    child.processes->close_output(child.pid);
  };
  child.run();
  ASSERT_TRUE(child.exit.has_value());
  EXPECT_EQ(calls, 1);
  // Both lines may have come in the first call, if this process was slow to look.
  EXPECT_TRUE(child.out.starts_with("one\n")) << child.out;
}

TEST(Processes, ReportsAFailedStartWithoutCallbacks) {
  rt::IoLoop loop;
  const auto processes = make_processes(loop);
  const auto failed = processes->spawn({.argv = {"/nowhere"}}, {});
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Errc::NotFound);
}

TEST(Processes, WorkWithoutPidfdAndCloseRange) {
  EXPECT_TRUE(testing::passes_without({SYS_pidfd_open, SYS_close_range}, [] {
    OneChild child(shell("echo hello; exit 5"));
    child.run();
    ASSERT_TRUE(child.exit.has_value());
    EXPECT_EQ(child.exit->code, 5);
    EXPECT_EQ(child.out, "hello\n");
    // A watch that is destroyed before its child ends must not be called.
    OneChild left(shell("exec sleep 60"));
    EXPECT_TRUE(left.processes->signal_group(left.pid, SIGKILL).has_value());
    left.processes.reset();
  }));
}

TEST(ProcessTree, ListsDescendantsThatLeftTheirSession) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);  // Like the keeper of an agent.
  OneChild child(shell("(setsid sleep 60 &) ; sleep 60 & echo up; wait"));
  child.on_output = [&] {
    const Pid self(::getpid());
    const auto below = list_descendants(self);
    EXPECT_GE(below.size(), 3U);
    EXPECT_EQ(below.front().parent, self);
    for (const ProcessInfo& process : below) {
      ::kill(process.pid.value, SIGKILL);
    }
  };
  child.run();
  ASSERT_TRUE(child.exit.has_value());
  EXPECT_EQ(child.exit->signal, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) {  // The orphans that this process inherited.
  }
  EXPECT_TRUE(list_descendants(Pid(::getpid())).empty());
}

TEST(ProcessTree, NeverSignalsEverybody) {
  EXPECT_FALSE(signal_group(Pid(0), 0).has_value());
  EXPECT_FALSE(signal_group(Pid(1), 0).has_value());
}

TEST(Signals, ComeOnTheLoop) {
  rt::IoLoop loop;
  int got = 0;
  const std::array wanted{SIGUSR1};
  auto signals = take_signals(loop, wanted, [&](int signal) {
    got = signal;
    loop.stop();
  });
  ASSERT_TRUE(signals.has_value());
  ::raise(SIGUSR1);
  loop.run_until(loop.now() + 10s);
  EXPECT_EQ(got, SIGUSR1);
}

}  // namespace
}  // namespace muster::os
