#include "agent/agent_shell_test.h"

#include <sys/prctl.h>

namespace muster::agent {
namespace {

TEST_F(AgentShell, StopsWithTermThenKillAndLeavesNothing) {
  spec_.command =
      "trap 'echo asked' TERM; setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &); "
      "echo up;"
      "while :; do sleep 0.1; done";
  ASSERT_NO_FATAL_FAILURE(run_first("up\n"));
  send(wire::AgentOrder{
      job::StopAttempt{kFirst, job::ContainerId{"c1"}, seconds(3), job::StopReason::Restart}});
  const job::Exit exit = wait_for_fact<job::AttemptEnded>().exit;
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_EQ(exit.failure->kind, job::FailureKind::Stopped);
  EXPECT_EQ(read("logs/worker-0.1.stdout"), "up\nasked\n");
  const AttemptMark mark{"test-1", "worker", 0, 1};
  EXPECT_TRUE(run_until([&] { return ProcLeftovers(os::Pid{1}).end(kFirst, mark) == 0; }));
}

TEST_F(AgentShell, GivesTheProgramUnderTheShellItsTimeToSave) {
  spec_.command =
      "sh -c 'trap \"read line < ../../go; echo saved; exit\" TERM; echo up;"
      " while :; do sleep 0.05; done'; true";
  fs::create_directories(root_ / "test-1");
  ASSERT_EQ(::mkfifo((root_ / "test-1/go").c_str(), 0600), 0);
  start();
  prepare(kFirst);
  begin(kFirst);
  const os::Pid shell{wait_for_fact<job::AttemptStarted>().pid};
  ASSERT_TRUE(run_until([&] { return read("logs/worker-0.1.stdout") == "up\n"; }));
  send(wire::AgentOrder{
      job::StopAttempt{kFirst, job::ContainerId{"c1"}, seconds(20), job::StopReason::UserStop}});
  ASSERT_TRUE(run_until([&] { return ::kill(shell.value, 0) != 0; })) << "the shell ends by TERM";
  std::ofstream(root_ / "test-1/go") << "go\n";
  EXPECT_EQ(wait_for_fact<job::AttemptEnded>().exit.signal, SIGTERM);
  EXPECT_EQ(read("logs/worker-0.1.stdout"), "up\nsaved\n");
}

/// The program saves, and its shell waits for it. What the shell had put in the background does not
/// hear INT: after a Ctrl-C by hand it would live on.
TEST_F(AgentShell, AnInterruptLeavesTheProgramItsTimeAndTermsWhoIgnoresIt) {
  spec_.command =
      "sh -c 'trap \"echo deaf asked; exit\" TERM; echo up; while :; do sleep 0.05; done' & "
      "sh -c 'trap \"echo asked; read line < ../../go; echo saved; trap - INT; kill -INT $$\" INT;"
      " trap \"\" TERM; echo up; while :; do sleep 0.05; done'; true";
  fs::create_directories(root_ / "test-1");
  ASSERT_EQ(::mkfifo((root_ / "test-1/go").c_str(), 0600), 0);
  ASSERT_NO_FATAL_FAILURE(run_first("up\nup\n"));
  send(wire::AgentOrder{job::StopAttempt{.attempt = kFirst,
                                         .container = job::ContainerId{"c1"},
                                         .grace = seconds(1000),
                                         .reason = job::StopReason::UserStop,
                                         .interrupt = seconds(900)}});
  ASSERT_TRUE(run_until([&] { return read("logs/worker-0.1.stdout") == "up\nup\nasked\n"; }));
  std::ofstream(root_ / "test-1/go") << "go\n";
  const job::Exit exit = wait_for_fact<job::AttemptEnded>().exit;
  EXPECT_EQ(exit.signal, SIGINT);
  EXPECT_EQ(exit.failure->class_name, "stopped.user_stop");
  EXPECT_EQ(read("logs/worker-0.1.stdout"), "up\nup\nasked\nsaved\ndeaf asked\n");
}

TEST_F(AgentShell, KillsTheProgramUnderTheShellWhenItsTimeIsOver) {
  spec_.command = "sh -c 'trap \"\" TERM; echo up; while :; do sleep 0.05; done' & wait";
  ASSERT_NO_FATAL_FAILURE(run_first("up\n"));
  send(wire::AgentOrder{job::StopAttempt{kFirst, job::ContainerId{"c1"}, milliseconds(300),
                                         job::StopReason::UserStop}});
  EXPECT_EQ(wait_for_fact<job::AttemptEnded>().exit.signal, SIGTERM);
  const AttemptMark mark{"test-1", "worker", 0, 1};
  EXPECT_TRUE(run_until([&] { return ProcLeftovers(os::Pid{1}).end(kFirst, mark) == 0; }));
}

TEST_F(AgentShell, TellsThoseInOtherSessionsToEndWhenNobodyElseCan) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);  // Like the keeper of an agent.
  spec_.command =
      "(setsid sh -c 'trap \"echo daemon asked; exit\" TERM; echo up; while :; do sleep 0.05; "
      "done' "
      "&); sleep 1000";
  ASSERT_NO_FATAL_FAILURE(run_first("up\n"));
  send(wire::AgentOrder{
      job::StopAttempt{kFirst, job::ContainerId{"c1"}, seconds(20), job::StopReason::UserStop}});
  EXPECT_EQ(wait_for_fact<job::AttemptEnded>().exit.signal, SIGTERM);
  EXPECT_EQ(read("logs/worker-0.1.stdout"), "up\ndaemon asked\n");
}

TEST_F(AgentShell, ReportsWhatHappenedWhileTheMasterWasAway) {
  spec_.command = "cat > /dev/null < $MUSTER_CHECKPOINT_DIR/../../../go; exit 9";
  fs::create_directories(root_ / "test-1");
  ASSERT_EQ(::mkfifo((root_ / "test-1/go").c_str(), 0600), 0);
  start();
  prepare(kFirst);
  begin(kFirst);
  (void)wait_for_fact<job::AttemptStarted>();
  master_.welcomes(false);
  master_.break_line();
  (void)wait_for<wire::AgentHello>();
  std::ofstream(root_ / "test-1/go") << "go";
  ASSERT_TRUE(run_until([&] { return sink_.count("attempt.ended") == 1; }));
  master_.welcomes(true);
  master_.break_line();
  const auto hello = wait_for<wire::AgentHello>();
  EXPECT_FALSE(hello.fresh);
  ASSERT_EQ(hello.report.attempts.size(), 1U);
  EXPECT_EQ(hello.report.attempts[0].exit->exit_code, 9);
}

TEST_F(AgentShell, MirrorsAndRestoresACheckpoint) {
  spec_.checkpoint.to = root_ / "mirror";
  spec_.command =
      "test -f $MUSTER_CHECKPOINT_DIR/step-1/DONE && exit 5;"
      "cd $MUSTER_CHECKPOINT_DIR; mkdir step-1; echo model > step-1/model; touch step-1/DONE; "
      "mkdir step-2;"
      "echo half > step-2/model; exit 1";
  start();
  prepare(kFirst);
  begin(kFirst);
  const auto asked = wait_for<wire::CommitAsked>();
  EXPECT_EQ(asked.name, "step-1");
  EXPECT_EQ(asked.generation.value, 1U);
  EXPECT_FALSE(fs::exists(root_ / "mirror/ckpt-00000001"));
  send(wire::CommitAnswered{asked.attempt, asked.generation, asked.name, ""});
  EXPECT_EQ(wait_for_fact<job::AttemptEnded>().exit.exit_code, 1);
  EXPECT_TRUE(fs::exists(root_ / "mirror/ckpt-00000001/step-1/model"));
  EXPECT_FALSE(fs::exists(root_ / "mirror/ckpt-00000001/step-2"));
  prepare(kSecond, true);
  begin(kSecond, 2);
  EXPECT_EQ(wait_for_fact<job::AttemptEnded>().exit.exit_code, 5);
  EXPECT_FALSE(fs::exists(root_ / "test-1/hosts/h1/ckpt/step-2")) << "the half-written one is gone";
}

TEST_F(AgentShell, RestartFindsNoCheckpointThatItShallNotResume) {
  spec_.checkpoint.resume = spec::Resume::Never;
  const std::string command =
      "test -f $MUSTER_CHECKPOINT_DIR/model && exit 5; touch $MUSTER_CHECKPOINT_DIR/model; exit 6";
  EXPECT_EQ(run(command).exit_code, 6);
  prepare(kSecond);
  begin(kSecond, 2);
  EXPECT_EQ(wait_for_fact<job::AttemptEnded>().exit.exit_code, 6);
}

TEST_F(AgentShell, LeavesWhenItIsDismissed) {
  spec_.command = "sleep 1000";
  start();
  prepare(kFirst);
  begin(kFirst);
  (void)wait_for_fact<job::AttemptStarted>();
  send(wire::AgentDismissed{"the job is over"});
  EXPECT_EQ(wait_for_fact<job::AttemptEnded>().exit.signal, SIGTERM);
  EXPECT_TRUE(run_until([&] { return left_ == "the job is over"; }));
}

TEST_F(AgentShell, EndsItsTasksAfterTheOrphanWindow) {
  orphan_ = seconds(1);
  spec_.liveness.orphan = seconds(1);
  spec_.command = "sleep 1000";
  start();
  prepare(kFirst);
  begin(kFirst);
  (void)wait_for_fact<job::AttemptStarted>();
  master_.go();
  EXPECT_TRUE(run_until([&] { return !left_.empty(); }));
  EXPECT_THAT(left_, HasSubstr("no master returned"));
  EXPECT_THAT(read("containers/c1.outcome.json"), HasSubstr("\"class\": \"agent.orphaned\""));
}

}  // namespace
}  // namespace muster::agent
