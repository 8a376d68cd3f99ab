#include "client/follow/output_view.h"

#include "client/follow/console_files_test.h"
#include "testing/fake_loop.h"
#include "testing/memory_files.h"
#include "testing/run_async.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace muster::client {
namespace {

using ::testing::HasSubstr;
using wire::OutputStream;

/// A cluster that does nothing but keep output, on a host from which refresh() fetches it.
class KeepingCluster final : public cluster::Cluster {
 public:
  /// What refresh() does; returns "" on success, otherwise what is missing.
  std::function<std::string()> bring = [] { return std::string(); };

  [[nodiscard]] std::string_view name() const override { return "keeping"; }
  [[nodiscard]] cluster::Traits traits() const override { return {.remote = true}; }
  Result<cluster::JobReport> fetch(const cluster::JobFolder&, cluster::FetchUntil) override {
    return cluster::JobReport(cluster::Lost{});
  }
  Status fetch_samples(const cluster::JobFolder&) override { return bug("unused"); }
  Result<std::string> host_lines() override { return bug("unused"); }
  Result<std::unique_ptr<cluster::Outputs>> outputs(const cluster::JobFolder&,
                                                    const cluster::LogFilter&) override {
    return std::make_unique<Kept>(*this);
  }

  Result<cluster::Fit> fit(const job::Plan&) override { return bug("unused"); }
  Result<cluster::MasterPlace> submit(const cluster::Submission&) override { return bug("unused"); }
  Result<cluster::JobsPage> jobs(const cluster::JobsQuery&) override { return bug("unused"); }
  Result<cluster::JobFolder> find(const std::string&) override { return bug("unused"); }
  Result<cluster::JobReport> report(const cluster::JobFolder&) override { return bug("unused"); }
  Result<std::vector<cluster::WaitReason>> why(const cluster::JobFolder&,
                                               const cluster::WaitContext&) override {
    return bug("unused");
  }
  Result<std::string> page(const cluster::JobFolder&) override { return bug("unused"); }
  Result<std::unique_ptr<cluster::TeamJobs>> team_jobs(rt::IoLoop&,
                                                       const cluster::TeamOptions&) override {
    return bug("unused");
  }
  Status kill(const cluster::JobFolder&, const std::string&) override { return bug("unused"); }
  Result<cluster::Retained> retain(const cluster::RetentionRules&) override {
    return bug("unused");
  }
  Result<std::vector<cluster::Finding>> examine(cluster::ExamineDepth) override {
    return bug("unused");
  }

 private:
  class Kept final : public cluster::Outputs {
   public:
    explicit Kept(KeepingCluster& cluster) : cluster_(cluster) {}
    Result<Gaps> refresh() override {
      const std::string missing = cluster_.bring();
      return missing.empty() ? Gaps() : Gaps{missing};
    }
    Result<std::vector<cluster::LogStream>> streams() override { return bug("unused"); }
    Result<std::string> read(const cluster::LogStream&, uint64_t, uint64_t) override {
      return bug("unused");
    }
    [[nodiscard]] std::optional<std::filesystem::path> watched() const override {
      return std::nullopt;
    }
    Status take(const cluster::OutputPiece&) override { return bug("unused"); }

   private:
    KeepingCluster& cluster_;
  };
};

class OutputViewTest : public ::testing::Test {
 protected:
  /// Opens a view of a job with this many tasks, on this screen.
  void open(uint32_t tasks, Screen screen = {}, rt::Loop* loop = nullptr) {
    plan_.roles.push_back({.name = "worker", .tasks = tasks, .tasks_min = tasks});
    screen_.emplace(screen);
    view_.emplace(OutputView::Deps{.loop = loop != nullptr ? *loop : loop_,
                                   .console = console_ ? *console_ : screen_->console(),
                                   .files = &logs_,
                                   .events = nullptr,
                                   .take = {},
                                   .reader_gone = [this] { ++readers_gone_; }},
                  plan_);
  }
  void live(uint64_t offset, std::string bytes, uint32_t index = 0,
            OutputStream stream = OutputStream::Stdout, uint64_t dropped = 0) {
    view_->take({.attempt = {{job::RoleIndex{0}, index}, 1},
                 .stream = stream,
                 .offset = offset,
                 .dropped = dropped,
                 .bytes = std::move(bytes),
                 .at_line_start = false});
  }
  void write_log(std::string_view text) {
    ASSERT_TRUE(files_.make_folders(folder_.logs(), 0700));
    ASSERT_TRUE(files_.write(folder_.logs() / "worker-0.1.stdout", text, {}));
  }
  void finish(bool whole = true) {
    auto ended = [](OutputView& view, bool all) -> rt::Async<bool> {
      co_await view.finish(all);
      co_return true;
    };
    EXPECT_TRUE(testing::run_async(loop_, ended(*view_, whole)));
  }

  testing::MemoryTree tree_;
  testing::MemoryFiles files_{tree_};
  KeepingCluster cluster_;
  cluster::JobFolder folder_{"/jobs/digits-1"};
  OutputFiles logs_{files_, cluster_, folder_};
  testing::FakeLoop loop_;
  job::Plan plan_;
  std::optional<ConsoleFiles> screen_;
  std::unique_ptr<Console> console_;  ///< Instead of the screen's.
  int readers_gone_ = 0;
  std::optional<OutputView> view_;  ///< Last: it uses all of the above.
};

TEST_F(OutputViewTest, PassesTheOutputOfOneTaskByteByByte) {
  open(1);
  live(0, std::string("a\0\x1b[2J\rb", 8));
  live(0, "trouble", 0, OutputStream::Stderr);
  EXPECT_EQ(screen_->out(), std::string("a\0\x1b[2J\rb", 8));
  EXPECT_EQ(screen_->err(), "trouble");
}

/// Python with PYTHONUNBUFFERED writes each word of a print() by itself.
TEST_F(OutputViewTest, LetsTheProgramEndItsLineBeforeOurOwn) {
  open(1);
  Console& console = screen_->console();
  live(0, "starting at", 0, OutputStream::Stderr);
  console.err("muster: running\n");
  console.err("muster: joined\n");
  live(11, " 0\nnext", 0, OutputStream::Stderr);
  EXPECT_EQ(screen_->err(), "starting at 0\nmuster: running\nmuster: joined\nnext");
  console.err("muster: more\n");
  loop_.advance(std::chrono::milliseconds(99));
  EXPECT_THAT(screen_->err(), ::testing::Not(HasSubstr("more")));
  loop_.advance(std::chrono::milliseconds(1));
  EXPECT_THAT(screen_->err(), ::testing::EndsWith("next\nmuster: more\n"));
}

TEST_F(OutputViewTest, WaitsForTheEndOfALineWhereBothStreamsAreOnePlace) {
  const rt::Fd place(::memfd_create("place", MFD_CLOEXEC));
  console_ = std::make_unique<Console>(Screen{}, place.get(), place.get());
  open(1);
  const auto text = [&] {
    std::array<char, 256> buffer{};
    return std::string(buffer.data(),
                       static_cast<size_t>(std::max<ssize_t>(
                           ::pread(place.get(), buffer.data(), buffer.size(), 0), 0)));
  };
  live(0, "a");
  console_->err("muster: running\n");
  live(0, "trouble\n", 0, OutputStream::Stderr);
  EXPECT_EQ(text(), "a");
  live(1, "b\nprompt");
  EXPECT_EQ(text(), "ab\ntrouble\nmuster: running\nprompt");
  live(8, "1%", 0, OutputStream::Stderr);
  EXPECT_THAT(text(), ::testing::EndsWith("running\nprompt"));
  loop_.advance(std::chrono::milliseconds(100));  // The unfinished line turns out to be a prompt.
  EXPECT_THAT(text(), ::testing::EndsWith("running\nprompt1%"));
  live(9, ": ");
  loop_.advance(std::chrono::milliseconds(100));
  console_->err("muster: ended\n");
  finish();
  EXPECT_THAT(text(), ::testing::EndsWith("prompt1%: \nmuster: ended\n"));
  live(11, "x");
  console_->err("muster: at once\n");
  EXPECT_THAT(text(), ::testing::EndsWith("x\nmuster: at once\n"));
}

TEST_F(OutputViewTest, NamesTheTasksOfSeveral) {
  open(2);
  live(0, "one\nhalf", 0);
  live(0, "two\n", 1);
  finish();
  EXPECT_THAT(screen_->out(), HasSubstr("worker:0 | one\n"));
  EXPECT_THAT(screen_->out(), HasSubstr("worker:1 | two\n"));
  EXPECT_THAT(screen_->out(), HasSubstr("worker:0 | half\n"));
}

TEST_F(OutputViewTest, ShowsNothingTwiceWhenAMasterSendsItAgain) {
  open(1);
  live(0, "one\ntwo\n");
  live(4, "two\nthree\n");
  EXPECT_EQ(screen_->out(), "one\ntwo\nthree\n");
}

TEST_F(OutputViewTest, ReadsFromTheLogWhatDidNotComeLive) {
  write_log("one\ntwo\nthree\n");
  open(1);
  live(8, "three\n", 0, OutputStream::Stdout, 8);
  EXPECT_EQ(screen_->out(), "");
  loop_.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(screen_->out(), "one\ntwo\nthree\n");
}

TEST_F(OutputViewTest, ShowsTheLogsOfAJobThatWasOverBefore) {
  write_log("one\ntwo\n");
  open(2, {.out_is_terminal = true, .err_is_terminal = true});
  job::State state;
  state.tasks.resize(1);
  for (const uint32_t index : {0U, 1U}) {
    state.tasks[0].push_back({});
    state.tasks[0].back().id = {job::RoleIndex{0}, index};
    state.tasks[0].back().attempts.push_back({});
    state.tasks[0].back().attempts.back().number = 1;
  }
  view_->missed(state);
  finish();
  EXPECT_THAT(screen_->out(), HasSubstr("worker:0 | one\n"));
  EXPECT_THAT(screen_->out(), HasSubstr("worker:0 | two\n"));
  EXPECT_THAT(screen_->err(), ::testing::Not(HasSubstr("missing")));
}

TEST_F(OutputViewTest, SaysWhatNobodyHas) {
  cluster_.bring = [] { return std::string("node h7 does not answer"); };
  open(1);
  live(8, "three\n", 0, OutputStream::Stdout, 8);
  finish();
  EXPECT_EQ(screen_->out(), "three\n");
  EXPECT_EQ(screen_->err(),
            "muster: 8 B of the stdout of worker:0 (attempt 1) are missing here: node h7 does not "
            "answer\n");
}

TEST_F(OutputViewTest, SkipsToTheStartOfALineOnATerminal) {
  open(2, {.out_is_terminal = true, .err_is_terminal = true});
  live(0, "one\n");
  live(100, "rest of a line\nnext\n", 0, OutputStream::Stdout, 96);
  finish();
  EXPECT_THAT(screen_->out(), HasSubstr("worker:0 | one\n"));
  EXPECT_THAT(screen_->out(), HasSubstr("worker:0 | next\n"));
  EXPECT_THAT(screen_->out(), ::testing::Not(HasSubstr("rest of a line")));
}

TEST_F(OutputViewTest, TellsOnceThatTheReaderIsGone) {
  const rt::Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full.valid());
  console_ = std::make_unique<Console>(Screen{}, full.get(), 2);
  open(1);
  live(0, "one\n");
  live(4, "two\n");
  EXPECT_EQ(readers_gone_, 1);
  view_.reset();
  console_.reset();
}

TEST_F(OutputViewTest, ShowsNoMoreOnceItIsMuted) {
  open(1);
  live(0, "one\n");
  view_->mute();
  live(4, "two\n");
  finish();
  EXPECT_EQ(screen_->out(), "one\n");
}

/// Logs on other hosts arrive slowly; Ctrl-C and the job's events must not wait for them.
TEST(OutputViewOnALoop, LetsOthersHaveTheirTurnWhileALogIsBrought) {
  testing::MemoryTree tree;
  testing::MemoryFiles files(tree);
  KeepingCluster cluster;
  const cluster::JobFolder folder("/jobs/digits-1");
  OutputFiles logs(files, cluster, folder);
  std::promise<void> other_ran;
  std::atomic<bool> had_a_turn = false;
  cluster.bring = [&, ran = other_ran.get_future().share()] {
    had_a_turn = ran.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
    (void)files.make_folders(folder.logs(), 0700);
    (void)files.write(folder.logs() / "worker-0.1.stdout", "one\ntwo\n", {});
    return std::string();
  };
  job::Plan plan;
  plan.roles.push_back({.name = "worker", .tasks = 1, .tasks_min = 1});
  ConsoleFiles screen;
  rt::IoLoop loop;
  OutputView view({.loop = loop,
                   .console = screen.console(),
                   .files = &logs,
                   .events = nullptr,
                   .take = {},
                   .reader_gone = [] {}},
                  plan);
  view.take({.attempt = {{job::RoleIndex{0}, 0}, 1},
             .stream = OutputStream::Stdout,
             .offset = 4,
             .dropped = 4,
             .bytes = "two\n",
             .at_line_start = true});
  // Later than the turns in which the view begins to read.
  const rt::TimerId other =
      loop.call_after(std::chrono::milliseconds(1), [&] { other_ran.set_value(); });
  const auto all = [&]() -> rt::Async<bool> {
    co_await view.finish(true);
    co_return true;
  };
  EXPECT_TRUE(testing::run_async(loop, all()));
  loop.cancel(other);
  EXPECT_TRUE(had_a_turn);
  EXPECT_EQ(screen.out(), "one\ntwo\n");
}

}  // namespace
}  // namespace muster::client
