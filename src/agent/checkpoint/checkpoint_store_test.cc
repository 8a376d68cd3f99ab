#include "agent/checkpoint/checkpoint_folder_store.h"
#include "os/file/local_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

CheckpointManifest sample_manifest() {
  CheckpointManifest manifest;
  manifest.job.value = "digits-1";
  manifest.generation.value = 3;
  manifest.name = "a name\n100%";
  manifest.marker = "tensorflow";
  manifest.files = {{"sub/data one", 12, 0xdeadbeef}, {"b", 0, 0}};
  return manifest;
}

TEST(CheckpointManifest, SurvivesItsTextForm) {
  EXPECT_EQ(decode_manifest(encode(sample_manifest())).value(), sample_manifest());
}

TEST(CheckpointManifest, EscapesOnlyWhatWouldEndAWordOrALine) {
  const std::string text = encode(sample_manifest());
  EXPECT_THAT(text, ::testing::HasSubstr(" a%20name%0a100%25\n"));
  EXPECT_THAT(text, ::testing::HasSubstr(" tensorflow\n"));
  EXPECT_THAT(text, ::testing::HasSubstr(" sub/data%20one\n"));
}

TEST(CheckpointManifest, RefusesEveryTruncationAndWaysOut) {
  const std::string text = encode(sample_manifest());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(decode_manifest(std::string_view(text).substr(0, size)).has_value()) << size;
  }
  CheckpointManifest evil = sample_manifest();
  evil.files = {{"../../etc/passwd", 1, 1}};
  EXPECT_FALSE(decode_manifest(encode(evil)).has_value());
  evil.files = {{"/etc/passwd", 1, 1}};
  EXPECT_FALSE(decode_manifest(encode(evil)).has_value());
}

class FolderStore : public ::testing::Test {
 protected:
  FolderStore() : root_(make_root()) {}
  ~FolderStore() override { fs::remove_all(root_); }

  static fs::path make_root() {
    char name[] = "/tmp/checkpoint-store-XXXXXX";
    return ::mkdtemp(name);
  }
  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  uint64_t commit(const std::vector<std::string>& files) {
    const auto staged =
        store_.stage(root_ / "ckpt", files,
                     {.job = {}, .generation = {}, .name = "n", .marker = "m", .files = {}});
    EXPECT_TRUE(staged.has_value());
    return store_.commit(*staged).value();
  }

  fs::path root_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  CheckpointFolderStore store_{*files_, root_ / "to", "c1"};
};

TEST_F(FolderStore, RefusesAnOlderGenerationThanTheNewestOfTheJob) {
  write(root_ / "ckpt/a", "1");
  const auto stage = [this](const char* job, uint32_t generation) {
    return store_
        .stage(root_ / "ckpt", {"a"},
               {.job = job::JobId(job),
                .generation = job::Generation(generation),
                .name = "n",
                .marker = "m",
                .files = {}})
        .value();
  };
  const auto granted_long_ago = stage("digits-1", 3);
  EXPECT_EQ(store_.commit(stage("digits-1", 4)).value(), 1U);
  const auto late = store_.commit(granted_long_ago);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().message, "generation 4 has committed a checkpoint since");
  EXPECT_EQ(store_.commit(stage("digits-2", 1)).value(), 2U) << "another job begins at 1";
}

TEST_F(FolderStore, BringsBackWhatWasCommitted) {
  write(root_ / "ckpt/a", "1");
  write(root_ / "ckpt/sub/b", std::string(3 << 20, 'x'));
  EXPECT_EQ(commit({"a", "sub/b"}), 1U);
  EXPECT_THAT(store_.list().value(), ElementsAre(1));
  const auto manifest = store_.fetch(1, root_ / "restored");
  ASSERT_TRUE(manifest.has_value());
  EXPECT_EQ(read(root_ / "restored/a"), "1");
  EXPECT_EQ(fs::file_size(root_ / "restored/sub/b"), 3U << 20);
}

TEST_F(FolderStore, ShowsNothingBeforeTheCommit) {
  write(root_ / "ckpt/a", "1");
  const auto staged = store_.stage(root_ / "ckpt", {"a"}, {});
  EXPECT_TRUE(store_.list()->empty());
  store_.discard(*staged);
  EXPECT_TRUE(store_.list()->empty());
}

TEST_F(FolderStore, LinksWhatDidNotChange) {
  write(root_ / "ckpt/a", "1");
  write(root_ / "ckpt/b", "2");
  commit({"a", "b"});
  write(root_ / "ckpt/b", "3");
  commit({"a", "b"});
  EXPECT_EQ(fs::hard_link_count(root_ / "to/ckpt-00000002/a"), 2U);
  EXPECT_EQ(read(root_ / "to/ckpt-00000001/b"), "2");
  EXPECT_EQ(read(root_ / "to/ckpt-00000002/b"), "3");
}

TEST_F(FolderStore, KeepsTheNewest) {
  write(root_ / "ckpt/a", "1");
  for (int i = 0; i < 4; ++i) {
    commit({"a"});
  }
  ASSERT_TRUE(store_.prune(2).has_value());
  EXPECT_THAT(store_.list().value(), ElementsAre(3, 4));
  EXPECT_EQ(commit({"a"}), 5U);
}

TEST_F(FolderStore, FindsDamage) {
  write(root_ / "ckpt/a", "1234");
  commit({"a"});
  std::ofstream(root_ / "to/ckpt-00000001/a") << "12x4";
  EXPECT_EQ(store_.fetch(1, root_ / "restored").error().code, Errc::Corrupt);
}

TEST_F(FolderStore, IgnoresAFolderWithoutItsManifest) {
  write(root_ / "to/ckpt-00000007/a", "half");
  EXPECT_TRUE(store_.list()->empty());
}

}  // namespace
}  // namespace muster::agent
