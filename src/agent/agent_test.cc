#include "agent/agent_shell_test.h"

namespace muster::agent {
namespace {

TEST_F(AgentShell, BringsAnAttemptToItsEnd) {
  const job::Exit exit = run(
      "echo out; cat \"$MUSTER_VIEW_FILE\" >&2; printf '%s %s %s' $MUSTER_ROLE $INHERITED $PWD");
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_FALSE(exit.failure.has_value());
  const fs::path work = folder_.work() / "worker-0.1";
  EXPECT_EQ(read("logs/worker-0.1.stdout"), "out\nworker yes " + work.string());
  EXPECT_THAT(read("logs/worker-0.1.stderr"), HasSubstr("{\"worker\":[\"127.0.0.1:"));
}

TEST_F(AgentShell, GivesSecretsToTheTaskOnly) {
  spec_.env["TOKEN"] = {spec::EnvValue::Source::FromEnv, "TOKEN"};
  spec_.env["PLAIN"] = {spec::EnvValue::Source::Literal, "p"};
  EXPECT_EQ(
      run("test \"$TOKEN\" = s3cret && test $PLAIN = p && test -z \"$MUSTER_RANK\"").exit_code, 0);
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    if (entry.is_regular_file()) {
      EXPECT_EQ(read(fs::relative(entry.path(), root_ / "test-1")).find("s3cret"),
                std::string::npos);
    }
  }
  for (const std::string& line : sink_.lines()) {
    EXPECT_EQ(line.find("s3cret"), std::string::npos);
  }
}

TEST_F(AgentShell, ReportsCodeClassAndLastWords) {
  const job::Exit exit = run("echo 'ModuleNotFoundError: No module named tensorflow' >&2; exit 42");
  EXPECT_EQ(exit.exit_code, 42);
  ASSERT_TRUE(exit.failure.has_value());
  EXPECT_NE(exit.failure->class_name, "");
  EXPECT_THAT(exit.failure->evidence, HasSubstr("tensorflow"));
}

TEST_F(AgentShell, KeepsSecretsOutOfTheEvidence) {
  spec_.env["TOKEN"] = {spec::EnvValue::Source::FromEnv, "TOKEN"};
  const job::Exit exit = run("echo \"ValueError: token $TOKEN\" >&2; exit 3");
  ASSERT_TRUE(exit.failure.has_value());
  EXPECT_THAT(exit.failure->evidence, HasSubstr("ValueError: token ***"));
  EXPECT_EQ(exit.failure->evidence.find("s3cret"), std::string::npos);
}

TEST_F(AgentShell, SaysOnceThatTheDiskDidNotTakeTheOutput) {
  spec_.command = "echo hello; echo world; exit 3";
  start();
  (void)wait_for<wire::AgentHello>();
  send(wire::FollowOutput{true, 10});
  fs::create_directories(root_ / "test-1/logs/worker-0.1.stdout");  // Where a file should be.
  prepare(kFirst);
  begin(kFirst);
  std::string followed;
  while (!followed.ends_with(")\n") && !HasFailure()) {
    followed += wait_for<wire::Output>().bytes;
  }
  EXPECT_THAT(followed, HasSubstr("hello\nworld\n(12 B of its output could not be logged: "));
  const job::Exit exit = wait_for_fact<job::AttemptEnded>().exit;
  EXPECT_THAT(exit.failure->evidence, HasSubstr("12 B of its output could not be logged"));
}

TEST_F(AgentShell, ReportsTheSignalOfAnExecutedProgram) {
  const job::Exit exit = run("exec >&- 2>&-; exec sh -c 'kill -SEGV $$'");
  EXPECT_FALSE(exit.exit_code.has_value());
  EXPECT_EQ(exit.signal, SIGSEGV);
}

TEST_F(AgentShell, TaskCanListenOnItsPort) {
  const job::Exit exit =
      run("python3 -c 'import os,socket; s=socket.socket();"
          "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1);"
          "s.bind((\"127.0.0.1\", int(os.environ[\"MUSTER_PORT\"]))); s.listen()'");
  EXPECT_EQ(exit.exit_code, 0) << read("logs/worker-0.1.stderr");
}

TEST_F(AgentShell, KillsWhatGoesOverItsMemory) {
  spec_.roles[0].memory = 64ULL << 20;
  const job::Exit exit =
      run("exec python3 -c 'x = bytearray(200 << 20); import time; time.sleep(60)'");
  EXPECT_TRUE(exit.over_memory);
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_EQ(exit.failure->class_name, "memory.limit");
  EXPECT_THAT(exit.failure->evidence, HasSubstr("the limit is 64 MiB"));
  EXPECT_GT(exit.memory_peak_bytes, 64ULL << 20);
}

TEST_F(AgentShell, SaysWhenAFileIsMissing) {
  spec_.files = {{root_ / "missing.py", "", {}}};
  spec_.command = "true";
  start();
  prepare(kFirst);
  const job::Exit exit = wait_for_fact<job::AttemptEnded>().exit;
  EXPECT_EQ(exit.failure->kind, job::FailureKind::User);
  EXPECT_THAT(exit.failure->evidence, HasSubstr("missing.py"));
  EXPECT_THAT(read("logs/worker-0.1.stderr"), HasSubstr("muster: "));
  EXPECT_THAT(read("logs/worker-0.1.stderr"), HasSubstr("missing.py"));
  EXPECT_TRUE(fs::exists(root_ / "test-1/logs/worker-0.1.stdout"));
}

TEST_F(AgentShell, SaysInTheLogWhyAProgramCouldNotBeStarted) {
  spec_.command = "true";
  start();
  prepare(kFirst);
  ASSERT_TRUE(run_until([&] { return fs::exists(folder_.work() / "worker-0.1"); }));
  const job::AttemptJoined joined = wait_for_fact<job::AttemptJoined>();
  fs::remove_all(folder_.work() / "worker-0.1");
  begin(kFirst, joined);
  const job::Exit exit = wait_for_fact<job::AttemptEnded>().exit;
  ASSERT_TRUE(exit.failure.has_value());
  EXPECT_NE(exit.failure->evidence, "");
  EXPECT_THAT(read("logs/worker-0.1.stderr"), HasSubstr("muster: "));
  EXPECT_THAT(read("logs/worker-0.1.stderr"), HasSubstr("worker-0.1"));
}

TEST_F(AgentShell, SendsTheLastLinesAgainForWhoComesLaterAndGoesOn) {
  const fs::path go = root_ / "go";
  ASSERT_EQ(::mkfifo(go.c_str(), S_IRUSR | S_IWUSR), 0);
  spec_.command = "echo one; read x < " + go.string() + "; echo two";
  start();
  (void)wait_for<wire::AgentHello>();
  prepare(kFirst);
  send(wire::FollowOutput{true, 10});
  begin(kFirst);
  EXPECT_EQ(wait_for<wire::Output>().bytes, "one\n");
  send(wire::FollowOutput{true, 10, true});
  const auto again = wait_for<wire::Output>();
  EXPECT_EQ(again, (wire::Output{kFirst, wire::OutputStream::Stdout, 0, 0, "one\n", true, true}));
  std::ofstream(go) << "\n";
  const auto next = wait_for<wire::Output>();
  EXPECT_EQ(next, (wire::Output{kFirst, wire::OutputStream::Stdout, 4, 0, "two\n"}));
}

TEST_F(AgentShell, StreamsToFollowersAndKeepsLongLinesWhole) {
  spec_.command =
      "echo first; read x < \"$MUSTER_VIEW_FILE\"; head -c 3000000 /dev/zero; sleep 0.2; echo; "
      "echo last";
  start();
  (void)wait_for<wire::AgentHello>();
  prepare(kFirst);
  send(wire::FollowOutput{true, 10});
  begin(kFirst);
  (void)wait_for_fact<job::AttemptStarted>();
  std::string followed;
  uint64_t dropped = 0;
  while (!followed.ends_with("last\n") && !HasFailure()) {
    const auto piece = wait_for<wire::Output>();
    followed += piece.bytes;
    dropped += piece.dropped;
  }
  EXPECT_EQ(followed.size() + dropped, 3'000'012U);
  EXPECT_EQ(fs::file_size(root_ / "test-1/logs/worker-0.1.stdout"), 3'000'012U);
}

}  // namespace
}  // namespace muster::agent
