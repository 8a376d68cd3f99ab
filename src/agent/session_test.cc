// Commands that people run inside an attempt.
#include "agent/agent_shell_test.h"
#include "net/socket.h"

#include <algorithm>
#include <sys/socket.h>

namespace muster::agent {
namespace {

using wire::StreamFrame;

constexpr uint64_t kStream = 11;

class AgentSessions : public AgentShell {
 protected:
  void run_task(const std::string& command = "exec sleep 1000") {
    spec_.command = command;
    start();
    prepare(kFirst);
    begin(kFirst);
    wait_for_fact<job::AttemptStarted>();
  }
  void say(StreamFrame::Kind kind, uint64_t id = kStream) {
    send(StreamFrame{id, std::move(kind)});
  }
  void open(std::vector<std::string> words, std::optional<wire::Terminal> terminal = std::nullopt) {
    say(wire::StreamOpen{.attempt = kFirst,
                         .request = wire::ExecRequest{std::move(words), std::move(terminal)}});
  }
  /// Opens a connection to a port of this host; false if it is refused.
  bool connect(uint16_t port) {
    say(wire::StreamOpen{.attempt = kFirst, .request = wire::TcpRequest{port, ""}});
    const StreamFrame frame = wait_for<StreamFrame>();
    take(frame);
    return std::holds_alternative<wire::StreamOpened>(frame.kind);
  }
  /// Listens on 127.0.0.1 for the test.
  uint16_t listen() {
    listening_ = net::listen_on({.host = "127.0.0.1"}).value();
    return listening_.port;
  }
  [[nodiscard]] rt::Fd accept() const {
    return rt::Fd(::accept4(listening_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  void type(const wire::ExecInput& input) { say(wire::StreamData{wire::encode(input)}); }

  /// Takes what the session says until its stream has ended.
  void take_all() {
    while (!over_ && !HasFailure()) {
      take(wait_for<StreamFrame>());
    }
  }
  /// Takes what the session says until its stream and its attempt have both ended, in any order.
  job::Exit take_both_ends() {
    std::optional<job::Exit> attempt;
    EXPECT_TRUE(run_until([&] {
      for (const wire::AgentFrame& frame : master_.take()) {
        if (const auto* stream = std::get_if<StreamFrame>(&frame)) {
          take(*stream);
        } else if (const auto* fact = std::get_if<wire::AgentFact>(&frame)) {
          if (const auto* ended = std::get_if<job::AttemptEnded>(&fact->fact)) {
            attempt = ended->exit;
          }
        }
      }
      return over_ && attempt.has_value();
    }));
    return attempt.value_or(job::Exit{});
  }
  void take(const StreamFrame& frame) {
    if (const auto* reset = std::get_if<wire::StreamReset>(&frame.kind)) {
      reset_ = *reset;
      over_ = true;
    }
    over_ = over_ || std::holds_alternative<wire::StreamClosed>(frame.kind);
    if (const auto* data = std::get_if<wire::StreamData>(&frame.kind)) {
      got_bytes_ += data->bytes.size();
      if (listening_.port != 0) {
        out_ += data->bytes;
        return;
      }
      const wire::ExecOutput output = wire::decode_exec_output(data->bytes).value();
      if (const auto* bytes = std::get_if<wire::ExecOutputBytes>(&output)) {
        (bytes->is_err ? err_ : out_) += bytes->bytes;
      } else {
        exited_ = std::get<wire::ExecExited>(output);
      }
    }
  }

  net::Listening listening_;  ///< Here the test plays the program that people connect to.
  bool over_ = false;
  size_t got_bytes_ = 0;
  std::string out_;
  std::string err_;
  std::optional<wire::ExecExited> exited_;
  std::optional<wire::StreamReset> reset_;
};

TEST_F(AgentSessions, RunACommandWithTheTasksEnvironmentAndFolder) {
  spec_.env["COLOUR"] = spec::EnvValue{.source = spec::EnvValue::Source::Literal, .text = "green"};
  run_task();
  open({"sh", "-c", "echo $COLOUR $MUSTER_ROLE; pwd; cat; echo bad >&2; exit 5"});
  type(wire::ExecBytes{std::string("x\0y", 3)});
  type(wire::ExecInputEnded{});
  take_all();
  EXPECT_THAT(out_, HasSubstr("green worker\n"));
  EXPECT_THAT(out_, HasSubstr(root_.string()));
  EXPECT_THAT(out_, HasSubstr(std::string("x\0y", 3)));
  EXPECT_EQ(err_, "bad\n");
  EXPECT_EQ(exited_->status, 5);
}

TEST_F(AgentSessions, RunWhereTheTasksProgramWorks) {
  run_task("mkdir deep && cd deep && touch ready && exec sleep 1000");
  ASSERT_TRUE(run_until([&] {
    return std::ranges::any_of(fs::recursive_directory_iterator(root_), [](const auto& entry) {
      return entry.path().filename() == "ready";
    });
  }));
  open({"sh", "-c", "pwd; ls"});
  take_all();
  EXPECT_THAT(out_, HasSubstr("/deep\nready\n"));
}

TEST_F(AgentSessions, TellOfACommandThatDoesNotExist) {
  run_task();
  open({"no-such-program"});
  take_all();
  EXPECT_EQ(exited_->status, 127);
  EXPECT_THAT(exited_->reason, HasSubstr("no-such-program"));
}

TEST_F(AgentSessions, TellOfASignalAsAShellDoes) {
  run_task();
  open({"sh", "-c", "echo ready; exec sleep 1000"});
  while (out_ != "ready\n") {
    take(wait_for<StreamFrame>());
  }
  type(wire::ExecSignal{SIGINT});
  take_all();
  EXPECT_EQ(exited_->status, 128 + SIGINT);
}

TEST_F(AgentSessions, HaveTheWindowThatTheirClientTakes) {
  run_task();
  say(wire::StreamOpen{
      .attempt = kFirst,
      .request = wire::ExecRequest{{"head", "-c", "5000000", "/dev/zero"}, std::nullopt},
      .window = wire::kStreamWindowMax});
  const StreamFrame opened = wait_for<StreamFrame>();
  EXPECT_EQ(std::get<wire::StreamOpened>(opened.kind).window, wire::kStreamWindowMax);
  take(opened);
  while (got_bytes_ < wire::kStreamWindowMax - (64U << 10)) {
    take(wait_for<StreamFrame>());
  }
  EXPECT_LE(got_bytes_, wire::kStreamWindowMax);
  say(wire::StreamReset{});
}

TEST_F(AgentSessions, SendNoMoreThanTheirCredit) {
  run_task();
  open({"head", "-c", "1000000", "/dev/zero"});
  while (got_bytes_ < wire::kStreamWindow - (64U << 10)) {
    take(wait_for<StreamFrame>());
  }
  loop_.run_until(loop_.now() + milliseconds(50));
  size_t came = got_bytes_;
  for (const wire::AgentFrame& frame : master_.heard()) {
    if (const auto* stream = std::get_if<StreamFrame>(&frame)) {
      if (const auto* data = std::get_if<wire::StreamData>(&stream->kind)) {
        came += data->bytes.size();
      }
    }
  }
  EXPECT_LE(came, wire::kStreamWindow);
  say(wire::StreamCredit{got_bytes_});
  while (!over_ && !HasFailure()) {
    const size_t before = got_bytes_;
    take(wait_for<StreamFrame>());
    say(wire::StreamCredit{got_bytes_ - before});
  }
  EXPECT_EQ(out_.size(), 1'000'000U);
  EXPECT_EQ(exited_->status, 0);
}

TEST_F(AgentSessions, EndWithTheirStream) {
  run_task();
  open({"sh", "-c", "echo $$; exec sleep 1000"});
  while (out_.find('\n') == std::string::npos) {
    take(wait_for<StreamFrame>());
  }
  const int pid = std::stoi(out_);
  say(wire::StreamReset{wire::StreamFault::Lost, "the client has gone"});
  EXPECT_TRUE(run_until([&] { return ::kill(pid, 0) != 0; }));
}

TEST_F(AgentSessions, EndWithTheirAttempt) {
  run_task("while [ ! -e go ]; do sleep 0.02; done");
  open({"sh", "-c", "trap '' HUP TERM; touch go; while :; do sleep 1000; done"});
  const job::Exit attempt = take_both_ends();
  EXPECT_EQ(exited_->status, 128 + SIGKILL);
  EXPECT_EQ(attempt.exit_code, 0);
}

TEST_F(AgentSessions, DoNotDelayTheStopOfTheirAttempt) {
  spec_.deadlines.stop = seconds(1000);
  run_task();
  open({"sh", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 1000; done"});
  while (out_ != "ready\n") {
    take(wait_for<StreamFrame>());
  }
  send(wire::AgentOrder{
      job::StopAttempt{kFirst, job::ContainerId{"c1"}, seconds(1000), job::StopReason::UserStop}});
  wait_for_fact<job::AttemptEnded>();
  EXPECT_FALSE(HasFailure());
}

TEST_F(AgentSessions, AreRefusedWithoutTheirAttempt) {
  run_task();
  say(wire::StreamOpen{.attempt = kSecond, .request = wire::ExecRequest{{"true"}, std::nullopt}});
  take_all();
  ASSERT_TRUE(reset_.has_value());
  EXPECT_EQ(reset_->fault, wire::StreamFault::Lost);
}

TEST_F(AgentSessions, AreResetForABadFrame) {
  run_task();
  open({"cat"});
  say(wire::StreamData{"\xff\xff"});
  take_all();
  ASSERT_TRUE(reset_.has_value());
  EXPECT_EQ(reset_->fault, wire::StreamFault::Protocol);
}

TEST_F(AgentSessions, HaveATerminal) {
  run_task();
  open({"sh", "-c", "echo $TERM; stty size; test -t 0 && test -t 1 && test -t 2"},
       wire::Terminal{"xterm", {40, 100}});
  take_all();
  EXPECT_EQ(out_, "xterm\r\n40 100\r\n");
  EXPECT_EQ(exited_->status, 0);
}

// ---- shells, which outlive their streams

/// Shells run `command`; lines of the test are typed into it.
class AgentShells : public AgentSessions {
 protected:
  void open_shell(const std::string& command, uint64_t id = kStream) {
    say(wire::StreamOpen{.attempt = kFirst,
                         .request =
                             wire::ExecRequest{
                                 {"sh", "-c", command}, wire::Terminal{"dumb", {24, 80}}, true}},
        id);
  }
  void join(uint32_t shell, uint64_t id, std::optional<uint64_t> position = std::nullopt,
            uint32_t typist = 0) {
    over_ = false;
    reset_.reset();
    say(wire::StreamOpen{.attempt = kFirst,
                         .request = wire::JoinRequest{shell, position, {30, 90}, typist}},
        id);
  }
  void leave(uint64_t id = kStream) { say(wire::StreamReset{}, id); }
  wire::StreamOpened wait_for_opened() {
    while (!HasFailure()) {
      const StreamFrame frame = wait_for<StreamFrame>();
      take(frame);
      if (const auto* opened = std::get_if<wire::StreamOpened>(&frame.kind)) {
        return *opened;
      }
      if (over_) {
        ADD_FAILURE() << "the stream ended: " << (reset_ ? reset_->reason : "");
      }
    }
    return {};
  }
  void wait_for_output(const std::string& text) {
    while (out_.find(text) == std::string::npos && !over_ && !HasFailure()) {
      take(wait_for<StreamFrame>());
    }
    EXPECT_THAT(out_, HasSubstr(text));
  }
  std::vector<wire::Shell> shells() {
    say(wire::StreamOpen{.attempt = kFirst, .request = wire::ShellsRequest{}}, 1000);
    std::vector<wire::Shell> shells;
    while (!HasFailure()) {
      const StreamFrame frame = wait_for<StreamFrame>();
      if (frame.id != 1000) {
        take(frame);
      } else if (const auto* data = std::get_if<wire::StreamData>(&frame.kind)) {
        shells = wire::decode_shell_list(data->bytes).value().shells;
      } else if (std::holds_alternative<wire::StreamClosed>(frame.kind)) {
        break;
      }
    }
    return shells;
  }
};

TEST_F(AgentShells, OutliveTheirStreamAndTellWhatWasMissed) {
  run_task();
  open_shell("echo up; read go; echo $go; read end; exit 5");
  EXPECT_EQ(wait_for_opened().shell, 1U);
  wait_for_output("up");
  type(wire::ExecBytes{"missed\n"});
  leave();
  ASSERT_EQ(shells().size(), 1U);
  EXPECT_TRUE(shells()[0].alone.has_value());
  out_.clear();
  join(1, kStream + 1);
  EXPECT_EQ(wait_for_opened().shell, 1U);
  wait_for_output("missed\r\nmissed\r\n");
  EXPECT_FALSE(shells()[0].alone.has_value());
  say(wire::StreamData{wire::encode(wire::ExecBytes{"x\n"})}, kStream + 1);
  take_all();
  EXPECT_EQ(exited_->status, 5);
  EXPECT_TRUE(shells().empty());
}

TEST_F(AgentShells, GoOnExactlyWhereAClientWasCutOff) {
  run_task();
  open_shell("stty -echo; printf 0123456789; read go; printf abc; read end");
  wait_for_output("0123456789");
  type(wire::ExecBytes{"\n"});
  wait_for_output("abc");
  leave();
  out_.clear();
  join(1, kStream + 1, 7);
  EXPECT_EQ(wait_for_opened().position, 7U);
  wait_for_output("789");
  wait_for_output("abc");
  EXPECT_TRUE(out_.starts_with("789")) << out_;
}

TEST_F(AgentShells, TellAClientThatWasCutOffWhatOfItsInputCame) {
  run_task();
  open_shell("stty -echo; echo up; cat");
  const uint32_t typist = wait_for_opened().typist;
  EXPECT_NE(typist, 0U);
  wait_for_output("up");
  type(wire::ExecBytes{"12345\n"});
  wait_for_output("12345");
  master_.welcome();
  join(1, kStream, out_.size(), typist);
  const wire::StreamOpened again = wait_for_opened();
  EXPECT_EQ(again.typist, typist);
  EXPECT_EQ(again.typed, 6U);
  leave();
  join(1, kStream + 1);
  const wire::StreamOpened other = wait_for_opened();
  EXPECT_NE(other.typist, typist);
  EXPECT_EQ(other.typed, 0U);
}

TEST_F(AgentShells, OutliveTheConnectionToTheMaster) {
  run_task();
  open_shell("echo up; read end; exit 6");
  wait_for_output("up");
  master_.welcome();  // A new connection: whatever used the previous one is over.
  join(0, kStream);
  EXPECT_EQ(wait_for_opened().shell, 1U);
  type(wire::ExecBytes{"\n"});
  take_all();
  EXPECT_EQ(exited_->status, 6);
}

TEST_F(AgentShells, TellHowTheyEndedAlone) {
  run_task();
  open_shell("echo up; read end; echo last words; exit 7");
  wait_for_output("up");
  type(wire::ExecBytes{"\n"});
  leave();
  ASSERT_TRUE(run_until([&] { return shells()[0].ended; }));
  join(1, kStream + 1);
  take_all();
  EXPECT_THAT(out_, HasSubstr("last words"));
  EXPECT_EQ(exited_->status, 7);
  EXPECT_TRUE(shells().empty());
}

TEST_F(AgentShells, RunOnWhenNobodyReadsThem) {
  run_task();
  open_shell("echo up; read go; yes | head -n 1000000; touch done; read end");
  wait_for_output("up");
  type(wire::ExecBytes{"\n"});
  leave();
  ASSERT_TRUE(run_until([&] {
    return std::ranges::any_of(fs::recursive_directory_iterator(root_),
                               [](const auto& entry) { return entry.path().filename() == "done"; });
  }));
  join(1, kStream + 1);
  const wire::StreamOpened opened = wait_for_opened();
  EXPECT_GT(opened.lost, 1'000'000U);
  EXPECT_GE(opened.position, opened.lost);
}

TEST_F(AgentShells, AreTakenOverByWhoeverComesLater) {
  run_task();
  open_shell("echo up; read end");
  wait_for_output("up");
  join(1, kStream + 1);
  take_all();
  ASSERT_TRUE(reset_.has_value());
  EXPECT_EQ(reset_->fault, wire::StreamFault::Cancelled);
  EXPECT_THAT(reset_->reason, HasSubstr("somebody else"));
  over_ = false;
  EXPECT_EQ(wait_for_opened().shell, 1U);
}

TEST_F(AgentShells, ThatAreNotThereAreNamed) {
  run_task();
  join(0, kStream);
  take_all();
  EXPECT_THAT(reset_->reason, HasSubstr("no detached shell"));
  open_shell("read end", kStream + 1);
  (void)wait_for_opened();
  join(9, kStream + 2);
  take_all();
  EXPECT_THAT(reset_->reason, HasSubstr("no shell 9"));
}

TEST_F(AgentShells, AreBoundedInNumber) {
  run_task();
  for (uint64_t i = 0; i < wire::kShellsMax; ++i) {
    open_shell("read end", kStream + i);
    (void)wait_for_opened();
    leave(kStream + i);
  }
  open_shell("read end", 100);
  take_all();
  ASSERT_TRUE(reset_.has_value());
  EXPECT_EQ(reset_->fault, wire::StreamFault::Refused);
  EXPECT_THAT(reset_->reason, HasSubstr("8 shells, the maximum"));
}

TEST_F(AgentShells, CountWhatOthersHaveTypedForNobody) {
  run_task();
  open_shell("stty -icanon -echo; echo up; sleep 0.3; exec cat > /dev/null");
  wait_for_output("up");
  const std::string much(30'000, 'x');
  for (uint64_t id = kStream; id < kStream + 6; ++id) {
    for (int i = 0; i < 5; ++i) {
      say(wire::StreamData{wire::encode(wire::ExecBytes{much})}, id);
    }
    leave(id);
    join(1, id + 1);
    EXPECT_EQ(wait_for_opened().shell, 1U);
  }
}

TEST_F(AgentShells, EndWithTheirAttempt) {
  run_task("while [ ! -e go ]; do sleep 0.02; done");
  open_shell("trap '' HUP TERM; echo $$; touch go; while :; do sleep 1000; done");
  wait_for_output("\n");
  const int pid = std::stoi(out_);
  leave();
  wait_for_fact<job::AttemptEnded>();
  EXPECT_TRUE(run_until([&] { return ::kill(pid, 0) != 0; }));
}

TEST_F(AgentSessions, ConnectToAPortAndCloseHalfByHalf) {
  run_task();
  ASSERT_TRUE(connect(listen()));
  const rt::Fd program = accept();
  say(wire::StreamData{"ping"});
  say(wire::StreamClosed{});
  std::string got(4, ' ');
  ASSERT_TRUE(run_until(
      [&] { return ::recv(program.get(), got.data(), got.size(), MSG_DONTWAIT | MSG_PEEK) == 4; }));
  ASSERT_EQ(::recv(program.get(), got.data(), got.size(), 0), 4);
  EXPECT_EQ(got, "ping");
  char none = 0;
  ASSERT_TRUE(run_until([&] { return ::recv(program.get(), &none, 1, MSG_DONTWAIT) == 0; }));
  ASSERT_EQ(::send(program.get(), "pong", 4, 0), 4);
  ::shutdown(program.get(), SHUT_WR);
  take_all();
  EXPECT_EQ(out_, "pong");
  EXPECT_FALSE(reset_.has_value());
}

TEST_F(AgentSessions, SayWhereNobodyListens) {
  run_task();
  const uint16_t port = listen();
  listening_.fd = rt::Fd();
  EXPECT_FALSE(connect(port));
  EXPECT_EQ(reset_->fault, wire::StreamFault::Refused);
  EXPECT_THAT(reset_->reason, HasSubstr("no program listens on port " + std::to_string(port)));
}

TEST_F(AgentSessions, BreakTheConnectionWithTheirStream) {
  run_task();
  ASSERT_TRUE(connect(listen()));
  const rt::Fd program = accept();
  say(wire::StreamReset{wire::StreamFault::Lost, "the client has gone"});
  char none = 0;
  ASSERT_TRUE(run_until(
      [&] { return ::recv(program.get(), &none, 1, MSG_DONTWAIT) < 0 && errno == ECONNRESET; }));
}

TEST_F(AgentSessions, ToAPortEndWithTheirAttempt) {
  run_task("while [ ! -e go ]; do sleep 0.02; done");
  ASSERT_TRUE(connect(listen()));
  const rt::Fd program = accept();
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    if (entry.is_directory()) {
      std::ofstream(entry.path() / "go");
    }
  }
  take_both_ends();
  EXPECT_EQ(reset_->reason, "the task has ended");
}

TEST_F(AgentSessions, CountAsTheirAttemptsMemory) {
  spec_.roles[0].memory = 100ULL << 20;
  run_task();
  open({"sh", "-c", "x=$(head -c 300000000 /dev/zero | tr '\\0' x); sleep 1000"});
  const job::Exit exit = take_both_ends();
  EXPECT_TRUE(exit.over_memory) << "the session took more than the task may use";
}

}  // namespace
}  // namespace muster::agent
