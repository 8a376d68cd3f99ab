#include "agent/agent.h"

#include "control/keys.h"
#include "os/local_files.h"
#include "os/process_tree.h"
#include "rt/io_loop.h"
#include "spec/serialize.h"
#include "testing/memory_transport.h"
#include "testing/recording_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr job::AttemptId kFirst{{job::RoleIndex{0}, 0}, 1};
constexpr job::AttemptId kSecond{{job::RoleIndex{0}, 0}, 2};

/// Goal: the agent's shell does on real processes and files what its machine decides. The master is
/// played by the test, over a network in memory.
class AgentShell : public ::testing::Test {
 protected:
  AgentShell() : root_(make_root()) {
    for (uint8_t& byte : key_) {
      byte = 7;
    }
    spec_.name = "test";
    spec_.roles.resize(1);
    spec_.roles[0].name = "worker";
    spec_.roles[0].memory = 512ULL << 20;
    spec_.deadlines.stop = seconds(5);
  }
  ~AgentShell() override {
    agent_.reset();
    master_channel_.reset();
    listener_.reset();
    fs::remove_all(root_);
  }

  static fs::path make_root() {
    char name[] = "/tmp/agent-test-XXXXXX";
    return ::mkdtemp(name);
  }

  void start() {
    listener_ =
        master_transport_
            .listen(
                {}, [this](const control::Peer&) -> Result<control::Key> { return key_; },
                [this](std::unique_ptr<control::Channel> channel) { adopt(std::move(channel)); })
            .value();
    AgentIdentity identity;
    identity.launch.order = {job::ContainerId{"c1"}, job::HostName{"h1"},  job::JobId{"test-1"},
                             job::Epoch{1},          listener_->address(), control::to_hex(key_)};
    identity.launch.job_folder = root_ / "test-1";
    identity.launch.listen_host = "127.0.0.1";
    identity.launch.orphan = orphan_;
    identity.inherited = {
        {"PATH", "/usr/bin:/bin"}, {"INHERITED", "yes"}, {"MUSTER_RANK", "outer"}};
    agent_ = std::make_unique<Agent>(AgentDeps{loop_, agent_transport_, *files_, *processes_,
                                               *ports_, *meter_, leftovers_, sink_, nullptr},
                                     std::move(identity), make_unpacker(),
                                     [this](std::string reason) { left_ = std::move(reason); });
    ASSERT_TRUE(agent_->start().has_value());
  }

  void adopt(std::unique_ptr<control::Channel> channel) {
    master_channel_ = std::move(channel);
    master_channel_->start({.frame =
                                [this](std::string_view bytes) {
                                  frames_.push_back(wire::decode_agent_frame(bytes).value());
                                  if (std::holds_alternative<wire::AgentHello>(frames_.back()) &&
                                      welcomes_) {
                                    welcome();
                                  }
                                },
                            .closed = [](const Error&) {}});
  }

  void send(const wire::MasterFrame& frame) { master_channel_->send(wire::encode(frame)); }

  void welcome() {
    welcomed_ = true;
    wire::MasterWelcome frame;
    frame.epoch = job::Epoch{1};
    frame.job_id = "test-1";
    frame.seed = 5;
    frame.plan_json = spec::to_json(spec_);
    frame.secrets = {{"env.TOKEN", "s3cret"}};
    frame.master_address = listener_->address();
    send(frame);
  }

  void prepare(job::AttemptId attempt, bool restore = false) {
    ASSERT_TRUE(run_until([&] { return master_channel_ != nullptr && welcomed_; }));
    job::PrepareAttempt order;
    order.attempt = attempt;
    order.restore = restore;
    order.container = job::ContainerId{"c1"};
    send(wire::AgentOrder{order});
  }

  /// Sends the view and the start of a joined attempt.
  void begin(job::AttemptId attempt, uint32_t generation = 1) {
    job::View view;
    view.generation = job::Generation{generation};
    view.members = {{.task = attempt.task,
                     .attempt = attempt.number,
                     .address = wait_for_fact<job::AttemptJoined>().address,
                     .host = job::HostName{"h1"},
                     .container = job::ContainerId{"c1"}}};
    send(wire::ViewPushed{view});
    send(wire::AgentOrder{
        job::StartAttempt{attempt, job::ContainerId{"c1"}, job::Generation{generation}}});
  }

  template <class Condition>
  bool run_until(Condition done, Duration limit = seconds(20)) {
    const HostTime end = loop_.now() + limit;
    while (loop_.now() < end) {
      if (done()) {
        return true;
      }
      loop_.run_until(loop_.now() + milliseconds(20));
    }
    return false;
  }

  /// Waits for the next frame of a kind and removes what came before it.
  template <class Frame>
  Frame wait_for() {
    Frame found{};
    const bool came = run_until([&] {
      while (!frames_.empty()) {
        const wire::AgentFrame frame = std::move(frames_.front());
        frames_.erase(frames_.begin());
        if (const auto* wanted = std::get_if<Frame>(&frame)) {
          found = *wanted;
          return true;
        }
      }
      return false;
    });
    EXPECT_TRUE(came) << "no such frame came";
    return found;
  }

  template <class Fact>
  Fact wait_for_fact() {
    Fact found{};
    run_until([&] {
      const auto frame = wait_for<wire::AgentFact>();
      if (const auto* wanted = std::get_if<Fact>(&frame.fact)) {
        found = *wanted;
        return true;
      }
      return HasFailure();
    });
    return found;
  }

  /// Runs one attempt of `command` to its end.
  job::Exit run(const std::string& command) {
    spec_.command = command;
    start();
    prepare(kFirst);
    begin(kFirst);
    return wait_for_fact<job::AttemptEnded>().exit;
  }

  std::string read(const fs::path& path) const {
    std::ifstream file(root_ / "test-1" / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  fs::path root_;
  cluster::JobFolder folder_{root_ / "test-1"};
  spec::Spec spec_;
  Duration orphan_ = seconds(60);
  bool welcomes_ = true;
  bool welcomed_ = false;
  control::Key key_{};
  rt::IoLoop loop_;
  ::muster::testing::MemoryNetwork network_{loop_};
  ::muster::testing::MemoryTransport master_transport_{network_, "master"};
  ::muster::testing::MemoryTransport agent_transport_{network_, "agent"};
  std::unique_ptr<os::Files> files_ = os::make_local_files(&loop_);
  std::unique_ptr<os::Processes> processes_ = os::make_processes(loop_);
  std::unique_ptr<os::Ports> ports_ = os::make_ports();
  std::unique_ptr<os::Meter> meter_ = os::make_meter();
  ProcLeftovers leftovers_{os::Pid{::getpid()}};
  ::muster::testing::RecordingSink sink_;
  std::unique_ptr<control::Listener> listener_;
  std::unique_ptr<control::Channel> master_channel_;
  std::vector<wire::AgentFrame> frames_;
  std::string left_;
  std::unique_ptr<Agent> agent_;
};

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
  EXPECT_THAT(followed, HasSubstr("hello\nworld\n(12 B of its output are not in its log: "));
  const job::Exit exit = wait_for_fact<job::AttemptEnded>().exit;
  EXPECT_THAT(exit.failure->evidence, HasSubstr("12 B of its output are not in its log"));
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

TEST_F(AgentShell, StopsWithTermThenKillAndLeavesNothing) {
  spec_.command =
      "trap 'echo asked' TERM; setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &); "
      "echo up;"
      "while :; do sleep 0.1; done";
  start();
  prepare(kFirst);
  begin(kFirst);
  (void)wait_for_fact<job::AttemptStarted>();
  ASSERT_TRUE(run_until([&] { return read("logs/worker-0.1.stdout") == "up\n"; }));
  send(wire::AgentOrder{job::StopAttempt{kFirst, job::ContainerId{"c1"}, milliseconds(400),
                                         job::StopReason::Restart}});
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

TEST_F(AgentShell, KillsTheProgramUnderTheShellWhenItsTimeIsOver) {
  spec_.command = "sh -c 'trap \"\" TERM; echo up; while :; do sleep 0.05; done' & wait";
  start();
  prepare(kFirst);
  begin(kFirst);
  (void)wait_for_fact<job::AttemptStarted>();
  ASSERT_TRUE(run_until([&] { return read("logs/worker-0.1.stdout") == "up\n"; }));
  send(wire::AgentOrder{job::StopAttempt{kFirst, job::ContainerId{"c1"}, milliseconds(300),
                                         job::StopReason::UserStop}});
  EXPECT_EQ(wait_for_fact<job::AttemptEnded>().exit.signal, SIGTERM);
  const AttemptMark mark{"test-1", "worker", 0, 1};
  EXPECT_TRUE(run_until([&] { return ProcLeftovers(os::Pid{1}).end(kFirst, mark) == 0; }));
}

TEST_F(AgentShell, TellsThoseInOtherSessionsToEndWhenNobodyElseCan) {
  ASSERT_TRUE(os::become_subreaper().has_value());  // As the keeper of an agent is.
  spec_.command =
      "(setsid sh -c 'trap \"echo daemon asked; exit\" TERM; echo up; while :; do sleep 0.05; "
      "done' "
      "&); sleep 1000";
  start();
  prepare(kFirst);
  begin(kFirst);
  (void)wait_for_fact<job::AttemptStarted>();
  ASSERT_TRUE(run_until([&] { return read("logs/worker-0.1.stdout") == "up\n"; }));
  send(wire::AgentOrder{
      job::StopAttempt{kFirst, job::ContainerId{"c1"}, seconds(20), job::StopReason::UserStop}});
  EXPECT_EQ(wait_for_fact<job::AttemptEnded>().exit.signal, SIGTERM);
  EXPECT_EQ(read("logs/worker-0.1.stdout"), "up\ndaemon asked\n");
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

TEST_F(AgentShell, ReportsWhatHappenedWhileTheMasterWasAway) {
  spec_.command = "cat > /dev/null < $MUSTER_CHECKPOINT_DIR/../../../go; exit 9";
  fs::create_directories(root_ / "test-1");
  ASSERT_EQ(::mkfifo((root_ / "test-1/go").c_str(), 0600), 0);
  start();
  prepare(kFirst);
  begin(kFirst);
  (void)wait_for_fact<job::AttemptStarted>();
  welcomes_ = false;
  master_channel_.reset();
  (void)wait_for<wire::AgentHello>();
  std::ofstream(root_ / "test-1/go") << "go";
  ASSERT_TRUE(run_until([&] { return sink_.count("attempt.ended") == 1; }));
  welcomes_ = true;
  master_channel_.reset();
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
  welcomes_ = false;
  master_channel_.reset();
  listener_.reset();
  EXPECT_TRUE(run_until([&] { return !left_.empty(); }));
  EXPECT_THAT(left_, HasSubstr("no master came back"));
  EXPECT_THAT(read("containers/c1.outcome.json"), HasSubstr("\"class\": \"agent.orphaned\""));
}

}  // namespace
}  // namespace muster::agent
