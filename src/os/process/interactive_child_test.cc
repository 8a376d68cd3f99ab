#include "os/process/interactive_child.h"

#include "os/process/processes.h"
#include "os/process/signals.h"
#include "rt/io_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <sys/wait.h>

namespace muster::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

/// Goal: check real programs behind pipes and terminals, read only as far as was allowed.
class Interactive : public ::testing::Test {
 protected:
  Interactive() { ignore_broken_pipes(); }
  void start(const std::string& command, std::optional<WindowSize> terminal = std::nullopt,
             size_t allowed = 1U << 20) {
    allowed_ = allowed;
    SpawnOptions options;
    options.argv = {"/bin/sh", "-c", command};
    options.env = {{"PATH", "/usr/bin:/bin"}, {"TERM", "dumb"}};
    auto child =
        processes_->spawn_interactive(options, terminal,
                                      {.output =
                                           [this](Stream stream, std::string_view bytes) {
                                             (stream == Stream::Stdout ? out_ : err_) += bytes;
                                             allowed_ -= bytes.size();
                                             return allowed_;
                                           },
                                       .written = [this](size_t bytes) { written_ += bytes; },
                                       .exited = [this](const Exit& exit) { exit_ = exit; }});
    ASSERT_TRUE(child.has_value()) << child.error().message;
    child_ = std::move(*child);
    child_->allow_output(allowed_);
  }
  template <class Condition>
  bool run_until(Condition done) {
    const HostTime end = loop_.now() + seconds(20);
    while (!done() && loop_.now() < end) {
      loop_.run_until(loop_.now() + milliseconds(5));
    }
    return done();
  }
  bool run_to_exit() {
    return run_until([this] { return exit_.has_value(); });
  }

  rt::IoLoop loop_;
  std::unique_ptr<Processes> processes_ = make_processes(loop_);
  size_t allowed_ = 0;
  std::string out_;
  std::string err_;
  size_t written_ = 0;
  std::optional<Exit> exit_;
  std::unique_ptr<InteractiveChild> child_;
};

TEST_F(Interactive, KeepsStreamsApartAndTellsTheExit) {
  start("cat; echo wrong >&2; exit 7");
  child_->write(std::string("a\0b", 3));
  child_->end_input();
  ASSERT_TRUE(run_to_exit());
  EXPECT_EQ(out_, std::string("a\0b", 3));
  EXPECT_EQ(err_, "wrong\n");
  EXPECT_EQ(written_, 3U);
  EXPECT_EQ(exit_->code, 7);
}

TEST_F(Interactive, ReadsNoMoreThanWasAllowed) {
  start("head -c 100000 /dev/zero", std::nullopt, 1000);
  ASSERT_TRUE(run_until([this] { return out_.size() == 1000; }));
  loop_.run_until(loop_.now() + milliseconds(20));
  EXPECT_EQ(out_.size(), 1000U);
  EXPECT_FALSE(exit_.has_value());
  allowed_ = 1U << 20;
  child_->allow_output(allowed_);
  ASSERT_TRUE(run_to_exit());
  EXPECT_EQ(out_.size(), 100'000U);
}

TEST_F(Interactive, TellsTheExitAlthoughAnotherHoldsItsOutput) {
  start("echo here; sleep 1000 & exit 3");
  ASSERT_TRUE(run_to_exit());
  EXPECT_EQ(out_, "here\n");
  EXPECT_EQ(exit_->code, 3);
  processes_->signal_family(child_->pid(), SIGKILL);
}

TEST_F(Interactive, TellsTheExitAlthoughAnotherGoesOnWriting) {
  start("(while :; do echo more; done) & exit 3", std::nullopt, SIZE_MAX);
  ASSERT_TRUE(run_to_exit());
  EXPECT_EQ(exit_->code, 3);
  processes_->signal_family(child_->pid(), SIGKILL);
}

TEST_F(Interactive, IsDoneWithInputThatNobodyReads) {
  start("exec <&-; exec sleep 1000");
  const std::string much(1U << 20, 'x');
  child_->write(much);
  ASSERT_TRUE(run_until([&] { return written_ == much.size(); }));
  processes_->signal_family(child_->pid(), SIGKILL);
  ASSERT_TRUE(run_to_exit());
  EXPECT_EQ(exit_->signal, SIGKILL);
}

TEST_F(Interactive, HasATerminalOfTheWantedSize) {
  start("tty; stty size; read x; stty size", WindowSize{.rows = 33, .columns = 99});
  ASSERT_TRUE(run_until([this] { return out_.find("33 99") != std::string::npos; }));
  child_->resize({.rows = 44, .columns = 111});
  child_->write("\n");
  ASSERT_TRUE(run_to_exit());
  EXPECT_THAT(out_, HasSubstr("/dev/pts/"));
  EXPECT_THAT(out_, HasSubstr("44 111"));
}

TEST_F(Interactive, InterruptsByTheTerminalsKey) {
  start("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.1; done",
        WindowSize{.rows = 24, .columns = 80});
  ASSERT_TRUE(run_until([this] { return out_.find("ready") != std::string::npos; }));
  child_->write("\x03");
  ASSERT_TRUE(run_to_exit());
  EXPECT_THAT(out_, HasSubstr("caught"));
  EXPECT_EQ(exit_->code, 5);
}

TEST_F(Interactive, ErasesWholeCharactersOfALineThatIsTyped) {
  start("stty -echo; echo ready; read -r line; echo \"<$line>\"",
        WindowSize{.rows = 24, .columns = 80});
  ASSERT_TRUE(run_until([this] { return out_.find("ready") != std::string::npos; }));
  child_->write(
      "a\u5B66\u00FC\x7F\x7F"
      "b\n");
  ASSERT_TRUE(run_to_exit());
  EXPECT_THAT(out_, HasSubstr("<ab>"));
}

TEST_F(Interactive, EndsTheInputOfATerminal) {
  start("cat", WindowSize{.rows = 24, .columns = 80});
  child_->write("line\n");
  child_->end_input();
  ASSERT_TRUE(run_to_exit());
  EXPECT_EQ(exit_->code, 0);
}

TEST_F(Interactive, HangsUpATerminalWhoseOwnerIsGone) {
  start("trap 'exit 9' HUP; echo ready; while :; do sleep 0.1; done",
        WindowSize{.rows = 24, .columns = 80});
  ASSERT_TRUE(run_until([this] { return out_.find("ready") != std::string::npos; }));
  const Pid pid = child_->pid();
  child_.reset();
  EXPECT_TRUE(run_until([&] { return ::kill(pid.value, 0) != 0; })) << "ended, and reaped";
  EXPECT_FALSE(exit_.has_value());
}

/// Counts the descriptors that this process has open.
size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST(InteractiveAtTheEnd, NothingIsLeftOfAChildThatOutlivesItsOwnerAndTheLoop) {
  const size_t before = open_descriptors();
  Pid pid;
  {
    rt::IoLoop loop;
    const std::unique_ptr<Processes> processes = make_processes(loop);
    SpawnOptions options;
    options.argv = {"/bin/sleep", "1000"};
    auto child =
        processes->spawn_interactive(options, std::nullopt,
                                     {.output = [](Stream, std::string_view) { return size_t{0}; },
                                      .written = [](size_t) {},
                                      .exited = [](const Exit&) {}});
    ASSERT_TRUE(child.has_value()) << child.error().message;
    pid = (*child)->pid();
    child->reset();
    loop.run_until(loop.now() + milliseconds(1));
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::kill(pid.value, SIGKILL), 0) << "it was not reaped";
  EXPECT_EQ(::waitpid(pid.value, nullptr, 0), pid.value);
}

TEST_F(Interactive, SaysWhatCannotBeRun) {
  SpawnOptions options;
  options.argv = {"no-such-program"};
  const auto child = processes_->spawn_interactive(options, std::nullopt, {});
  ASSERT_FALSE(child.has_value());
  EXPECT_EQ(child.error().code, Errc::NotFound);
}

}  // namespace
}  // namespace muster::os
