#include "agent/checkpoint/checkpoint_restore.h"

#include "agent/checkpoint/checkpoint_folder_store.h"
#include "os/file/local_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr job::TaskId kFirst{job::RoleIndex{0}, 0};
constexpr job::TaskId kSecond{job::RoleIndex{0}, 1};

class CheckpointRestore : public ::testing::Test {
 protected:
  CheckpointRestore() : root_(make_root()) {
    plan_.roles.push_back({.name = "worker", .tasks = 2, .tasks_min = 2});
    plan_.chief = kFirst;
    place_.folder = root_ / "ckpt";
    place_.state_file = root_ / "host/.muster/checkpoint";
    place_.owner = true;
    place_.store = store_;
  }
  ~CheckpointRestore() override { fs::remove_all(root_); }
  CheckpointRestore(const CheckpointRestore&) = delete;
  CheckpointRestore& operator=(const CheckpointRestore&) = delete;

  static fs::path make_root() {
    char name[] = "/tmp/checkpoint-restore-XXXXXX";
    return ::mkdtemp(name);
  }
  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void commit(const std::string& text) {
    write(root_ / "made/a", text);
    const auto staged =
        store_->stage(root_ / "made", {"a"},
                      {.job = {}, .generation = {}, .name = "n", .marker = "m", .files = {}});
    ASSERT_TRUE(staged.has_value());
    ASSERT_TRUE(store_->commit(*staged).has_value());
  }
  std::optional<uint64_t> restore() {
    const auto restored = restore_checkpoint(*files_, place_);
    EXPECT_TRUE(restored.has_value());
    return restored.value_or(std::nullopt);
  }
  Result<CheckpointPlace> place_of(job::TaskId task) {
    return checkpoint_place({*files_, open_, root_ / "host", "c1"}, plan_, task);
  }

  fs::path root_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  std::shared_ptr<CheckpointFolderStore> store_ =
      std::make_shared<CheckpointFolderStore>(*files_, root_ / "to", "c1");
  OpenCheckpointStore open_;
  job::Plan plan_;
  CheckpointPlace place_;
};

TEST_F(CheckpointRestore, BringsTheNewestInPlaceOfWhatLiesThere) {
  commit("1");
  commit("2");
  write(root_ / "ckpt/half", "x");
  EXPECT_EQ(restore(), 2U);
  EXPECT_EQ(read(root_ / "ckpt/a"), "2");
  EXPECT_FALSE(fs::exists(root_ / "ckpt/half"));
  EXPECT_EQ(read(place_.state_file), "2");
  EXPECT_FALSE(fs::exists(root_ / "ckpt.old"));
  EXPECT_FALSE(fs::exists(root_ / "ckpt.restoring"));
}

TEST_F(CheckpointRestore, FindsNothingWhereNothingWasCommitted) {
  write(root_ / "ckpt/half", "x");
  EXPECT_EQ(restore(), std::nullopt);
  EXPECT_EQ(read(root_ / "ckpt/half"), "x");
}

TEST_F(CheckpointRestore, TakesAnOlderOneWhenTheNewestIsDamaged) {
  commit("1");
  commit("2");
  write(root_ / "to/ckpt-00000002/a", "?");
  EXPECT_EQ(restore(), 1U);
  EXPECT_EQ(read(root_ / "ckpt/a"), "1");
}

TEST_F(CheckpointRestore, TakesTheOwnerBackToWhatWasCommitted) {
  commit("1");
  EXPECT_EQ(restore(), 1U);
  write(root_ / "ckpt/a", "further");
  EXPECT_EQ(restore(), 1U);
  EXPECT_EQ(read(root_ / "ckpt/a"), "1");
}

TEST_F(CheckpointRestore, LeavesAnotherTasksFolderUnlessItIsOlder) {
  place_.owner = false;
  commit("1");
  EXPECT_EQ(restore(), 1U);
  write(root_ / "ckpt/a", "further");
  EXPECT_EQ(restore(), std::nullopt);
  EXPECT_EQ(read(root_ / "ckpt/a"), "further");
  commit("2");
  EXPECT_EQ(restore(), 2U);
  EXPECT_EQ(read(root_ / "ckpt/a"), "2");
}

TEST_F(CheckpointRestore, EmptiesTheFolderAndForgetsItsNumber) {
  commit("1");
  EXPECT_EQ(restore(), 1U);
  ASSERT_TRUE(clear_checkpoint(*files_, place_).has_value());
  EXPECT_TRUE(fs::is_empty(root_ / "ckpt"));
  EXPECT_FALSE(fs::exists(place_.state_file));
}

TEST_F(CheckpointRestore, PlacesTheChiefsFolderForAllTasksOfAHost) {
  plan_.spec.checkpoint.to = (root_ / "shared").string();
  const auto chief = place_of(kFirst);
  const auto other = place_of(kSecond);
  ASSERT_TRUE(chief.has_value() && other.has_value());
  EXPECT_EQ(chief->folder, root_ / "host/ckpt");
  EXPECT_EQ(other->folder, chief->folder);
  EXPECT_EQ(chief->state_file, root_ / "host/.muster/checkpoint");
  EXPECT_TRUE(chief->owner);
  EXPECT_FALSE(other->owner);
  EXPECT_NE(other->store, nullptr) << "it restores from there";
}

TEST_F(CheckpointRestore, PlacesAFolderForEachTask) {
  plan_.spec.checkpoint.by = spec::CheckpointBy::Each;
  plan_.spec.checkpoint.to = "file://" + (root_ / "shared").string();
  const auto other = place_of(kSecond);
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->folder, root_ / "host/ckpt/worker-1");
  EXPECT_EQ(other->state_file, root_ / "host/.muster/checkpoint-worker-1");
  EXPECT_TRUE(other->owner);
  write(root_ / "made/a", "1");
  const auto staged =
      other->store->stage(root_ / "made", {"a"},
                          {.job = {}, .generation = {}, .name = "n", .marker = "m", .files = {}});
  ASSERT_TRUE(staged.has_value() && other->store->commit(*staged).has_value());
  EXPECT_TRUE(fs::exists(root_ / "shared/worker-1/ckpt-00000001/a"));
}

TEST_F(CheckpointRestore, MirrorsNothingWithoutATargetAndRefusesWhatIsNone) {
  EXPECT_EQ(place_of(kFirst)->store, nullptr);
  for (const char* const to : {"some/folder", "s3://bucket/x"}) {
    plan_.spec.checkpoint.to = to;
    const auto placed = place_of(kFirst);
    ASSERT_FALSE(placed.has_value()) << to;
    EXPECT_THAT(placed.error().message, HasSubstr("must be the absolute path"));
    EXPECT_EQ(placed.error().blame, Blame::User);
  }
}

TEST_F(CheckpointRestore, OpensAnAddressForTheTask) {
  std::string opened;
  open_ = [&](const std::string& address,
              const std::string& writer) -> Result<std::shared_ptr<CheckpointStore>> {
    opened = address + " by " + writer;
    return std::shared_ptr<CheckpointStore>(store_);
  };
  plan_.spec.checkpoint.to = "hdfs://nn/x";
  EXPECT_EQ(place_of(kSecond)->store, store_);
  EXPECT_EQ(opened, "hdfs://nn/x by c1");
  plan_.spec.checkpoint.by = spec::CheckpointBy::Each;
  EXPECT_EQ(place_of(kSecond)->store, store_);
  EXPECT_EQ(opened, "hdfs://nn/x/worker-1 by c1");
}

TEST_F(CheckpointRestore, StartsAnewOnlyWhereNobodyElseWrites) {
  CheckpointPlace mine;
  mine.owner = true;
  const job::AttemptId first{kFirst, 1};
  const job::AttemptId second{kFirst, 2};
  EXPECT_FALSE(starts_anew(plan_, second, mine)) << "resume is not never";
  plan_.spec.checkpoint.resume = spec::Resume::Never;
  EXPECT_FALSE(starts_anew(plan_, first, mine));
  EXPECT_TRUE(starts_anew(plan_, second, mine));
  const CheckpointPlace anothers;
  plan_.barrier = spec::Barrier::Gang;
  EXPECT_FALSE(starts_anew(plan_, second, anothers)) << "its peers may have written";
  plan_.roles[0].membership = spec::Membership::Static;
  EXPECT_TRUE(starts_anew(plan_, second, anothers)) << "all of the gang wait for it";
  plan_.roles[0].after = {{job::RoleIndex{0}, spec::Condition::Running}};
  EXPECT_FALSE(starts_anew(plan_, second, anothers)) << "an earlier stage may have written";
}

}  // namespace
}  // namespace muster::agent
