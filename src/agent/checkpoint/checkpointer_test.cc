#include "agent/checkpoint/checkpointer.h"

#include "agent/checkpoint/checkpoint_folder_store.h"
#include "os/file/local_files.h"
#include "os/process/processes.h"
#include "rt/io_loop.h"
#include "rt/running.h"
#include "testing/fake_loop.h"
#include "testing/recording_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr job::AttemptId kAttempt{{job::RoleIndex{0}, 0}, 1};

/// A master that the test controls.
struct FakeAuthority final : CommitAuthority {
  bool ask(const wire::CommitAsked& request) override {
    asked.push_back(request);
    return there;
  }
  [[nodiscard]] job::Generation generation() const override { return newest; }

  bool there = true;
  job::Generation newest{2};
  std::vector<wire::CommitAsked> asked;
};

class Checkpoints : public ::testing::Test {
 protected:
  Checkpoints() {
    CheckpointPlace place;
    place.folder = root_ / "ckpt";
    place.state_file = root_ / "state";
    place.owner = true;
    place.store = std::make_shared<CheckpointFolderStore>(*files_, root_ / "mirror", "c1");
    checkpointer_.watch({kAttempt, job::JobId{"j"}, place, 3, root_ / "requests", {}});
  }

  static fs::path make_root() {
    char name[] = "/tmp/checkpointer-XXXXXX";
    return ::mkdtemp(name);
  }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::string read(const std::string& path) const {
    std::ifstream file(root_ / path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  template <class Condition>
  bool run_until(Condition done) {
    const HostTime end = loop_.now() + seconds(60);
    while (!done() && loop_.now() < end) {
      loop_.run_until(loop_.now() + std::chrono::milliseconds(10));
    }
    return done();
  }
  void answer(const std::string& refusal) {
    checkpointer_.answered(
        {asked_.back().attempt, asked_.back().generation, asked_.back().name, refusal});
  }

  /// The attempt's process has ended.
  void finish(Duration patience) {
    finishing_ = rt::start(loop_, checkpointer_.finish(kAttempt, patience), [] {});
  }
  bool finished() {
    return run_until([&] { return !finishing_.active(); });
  }

  struct Folder {
    Folder() : path(make_root()) {}
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    fs::path path;
  };
  // Both are destroyed after the loop, whose pool may be using them until then.
  Folder folder_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  const fs::path& root_ = folder_.path;
  rt::IoLoop loop_;
  ::muster::testing::RecordingSink sink_;
  FakeAuthority authority_;
  std::vector<wire::CommitAsked>& asked_ = authority_.asked;
  Checkpointer checkpointer_{{loop_, *files_, log::Logger(sink_), authority_}};
  rt::Running finishing_;
};

TEST_F(Checkpoints, CommitsOnlyWhatTheMasterGrants) {
  write("ckpt/DONE", "");
  ASSERT_TRUE(run_until([&] { return asked_.size() == 1; }));
  EXPECT_EQ(asked_[0].generation, job::Generation{2});
  EXPECT_FALSE(fs::exists(root_ / "mirror/ckpt-00000001"));
  answer("");
  EXPECT_TRUE(run_until([&] { return fs::exists(root_ / "mirror/ckpt-00000001/DONE"); }));
  EXPECT_TRUE(run_until([&] { return read("state") == "1"; }));
}

TEST_F(Checkpoints, KeepsNothingOfAnOldGenerationAndAsksOnce) {
  write("ckpt/DONE", "");
  ASSERT_TRUE(run_until([&] { return asked_.size() == 1; }));
  answer("generation 2 is over");
  finish(seconds(10));
  EXPECT_TRUE(finished());
  EXPECT_TRUE(run_until([&] { return fs::is_empty(root_ / "mirror"); }));
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(Checkpoints, TaskSaysItselfThatItsCheckpointIsComplete) {
  write("ckpt/weights", "w");
  write("bin/muster-commit", std::string(commit_program()));
  fs::permissions(root_ / "bin/muster-commit", fs::perms(0755));
  const std::unique_ptr<os::Processes> processes = os::make_processes(loop_);
  os::SpawnOptions options;
  options.argv = {root_ / "bin/muster-commit", "epoch-1"};
  options.env = {{"PATH", "/usr/bin:/bin"}, {"MUSTER_COMMIT_DIR", root_ / "requests"}};
  std::optional<os::Exit> exit;
  ASSERT_TRUE(
      processes->spawn(options, {.output = {}, .exited = [&](const os::Exit& e) { exit = e; }})
          .has_value());
  ASSERT_TRUE(run_until([&] { return asked_.size() == 1; }));
  EXPECT_EQ(asked_[0].name, "epoch-1");
  answer("");
  ASSERT_TRUE(run_until([&] { return exit.has_value(); }));
  EXPECT_EQ(exit->code, 0);
  EXPECT_EQ(read("mirror/ckpt-00000001/weights"), "w");
}

TEST_F(Checkpoints, AttemptThatLivesOnCommitsInTheNewestGeneration) {
  authority_.newest = job::Generation{5};
  write("ckpt/DONE", "");
  ASSERT_TRUE(run_until([&] { return asked_.size() == 1; }));
  EXPECT_EQ(asked_[0].generation, job::Generation{5});
}

TEST_F(Checkpoints, EndsWithoutAMaster) {
  authority_.there = false;
  write("ckpt/DONE", "");
  finish(seconds(10));
  EXPECT_TRUE(finished());
  EXPECT_FALSE(checkpointer_.watches(kAttempt));
  EXPECT_EQ(sink_.count("no master is connected"), 1U);
}

TEST_F(Checkpoints, EndsWhenTheMasterNeverAnswers) {
  write("ckpt/DONE", "");
  finish(std::chrono::milliseconds(100));
  EXPECT_TRUE(finished());
  EXPECT_FALSE(checkpointer_.watches(kAttempt));
}

// The look that was under way when the process ended had begun earlier: whatever came later needs
// one more look.
TEST_F(Checkpoints, LooksOnceMoreWhenTheEndCameDuringALook) {
  write("ckpt/step-1/DONE", "");
  ASSERT_TRUE(run_until([&] { return asked_.size() == 1; }));
  write("ckpt/step-2/DONE", "");
  finish(seconds(10));
  answer("generation 2 is over");
  ASSERT_TRUE(run_until([&] { return asked_.size() == 2; }));
  answer("");
  EXPECT_TRUE(finished());
  EXPECT_TRUE(fs::exists(root_ / "mirror/ckpt-00000001/step-2/DONE"));
}

// An agent that stood still has not seen that the folder was quiet.
TEST(CheckpointWatch, IsNotQuietWhereTwoLooksDiffer) {
  char name[] = "/tmp/checkpoint-watch-XXXXXX";
  const fs::path root = ::mkdtemp(name);
  const auto write = [&](const char* file, const char* text) {
    fs::create_directories(root / "ckpt");
    std::ofstream(root / "ckpt" / file) << text;
  };
  const std::unique_ptr<os::Files> files = os::make_local_files(nullptr);
  ::muster::testing::FakeLoop loop;
  ::muster::testing::RecordingSink sink;
  FakeAuthority authority;
  CheckpointPlace place;
  place.folder = root / "ckpt";
  place.store = std::make_shared<CheckpointFolderStore>(*files, root / "mirror", "c1");
  const CheckpointDeps deps{loop, *files, log::Logger(sink), authority};
  const CheckpointWatch watch(deps, {kAttempt, job::JobId{"j"}, place, 3, root / "requests", {}});
  write("vocabulary", "words");
  write("weights", "whole");
  loop.advance(seconds(3));
  loop.stall(seconds(40));
  write("weights", "half");
  loop.advance(seconds(2));
  EXPECT_TRUE(authority.asked.empty());
  loop.advance(seconds(40));
  EXPECT_FALSE(authority.asked.empty()) << "after half a minute it is taken for whole";
  fs::remove_all(root);
}

}  // namespace
}  // namespace muster::agent
