#include "agent/checkpoint/checkpoint_scan.h"

#include "os/file/local_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class Scan : public ::testing::Test {
 protected:
  Scan() : root_(make_root()) {}
  ~Scan() override { fs::remove_all(root_); }
  static fs::path make_root() {
    char name[] = "/tmp/checkpoint-scan-XXXXXX";
    return ::mkdtemp(name);
  }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  FolderLook look() { return look_at(*files_, root_).value(); }
  /// Judges with the folder as it is now; `before` is the previous look.
  std::optional<CompleteCheckpoint> judge(const FolderLook& before, bool ended = false,
                                          Duration quiet = {},
                                          const FolderLook* committed = nullptr) {
    const FolderLook now = look();
    return find_complete(
        *files_, root_,
        {.before = &before, .now = &now, .committed = committed, .quiet = quiet, .ended = ended});
  }

  fs::path root_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
};

TEST_F(Scan, TakesTensorflowsCheckpointWhenItsFileNamesWholeData) {
  write("ckpt-5.index", "i");
  write("ckpt-5.data-00000-of-00002", "d");
  write("checkpoint", "model_checkpoint_path: \"/other/host/ckpt-5\"\n");
  EXPECT_FALSE(judge(look()).has_value()) << "a shard is missing";
  write("ckpt-5.data-00001-of-00002", "d");
  write("ckpt-6.data-00000-of-00002", "on its way");
  write("events.out", "e");
  const auto complete = judge({});
  ASSERT_TRUE(complete.has_value());
  EXPECT_EQ(complete->name, "ckpt-5");
  EXPECT_EQ(complete->marker, "tensorflow");
  EXPECT_THAT(complete->files,
              ElementsAre("checkpoint", "ckpt-5.data-00000-of-00002", "ckpt-5.data-00001-of-00002",
                          "ckpt-5.index", "events.out"));
}

TEST_F(Scan, TakesNothingTwice) {
  write("step-1/DONE", "");
  const FolderLook committed = look();
  EXPECT_FALSE(judge(committed, false, {}, &committed).has_value());
  write("log", "a file that changes beside it");
  EXPECT_FALSE(judge(committed, true, {}, &committed).has_value());
}

TEST_F(Scan, TakesAFolderWithADoneFile) {
  write("step-1/model", "m");
  EXPECT_FALSE(judge(look(), true).has_value());
  write("step-1/DONE", "");
  write("step-2/model", "on its way");
  const auto complete = judge({});
  ASSERT_TRUE(complete.has_value());
  EXPECT_EQ(complete->name, "step-1");
  EXPECT_THAT(complete->files, ElementsAre("step-1/DONE", "step-1/model"));
}

TEST_F(Scan, WaitsUntilATorchFileIsWhole) {
  const std::string end("PK\x05\x06" + std::string(18, '\0'));
  write("model.pt", "PK\x03\x04 not yet written to its end");
  EXPECT_FALSE(judge(look()).has_value());
  write("model.pt", "PK\x03\x04 written to its end" + end);
  EXPECT_FALSE(judge({}).has_value()) << "it was not there at the look before";
  EXPECT_EQ(judge(look())->name, "model.pt");
  EXPECT_EQ(judge({}, true)->name, "model.pt") << "nobody writes any more";
}

TEST_F(Scan, LeavesTemporaryFilesOut) {
  write("model.pt.tmp", "x");
  write(".hidden", "x");
  EXPECT_TRUE(look().empty());
}

TEST_F(Scan, TakesAnythingAfterLongQuietAndSaysSo) {
  write("weights", "w");
  EXPECT_FALSE(judge(look(), false, std::chrono::seconds(5)).has_value());
  EXPECT_EQ(judge(look(), false, std::chrono::seconds(31))->marker, "quiet");
}

TEST(TensorflowPrefixes, ReadsTheNewestFirst) {
  EXPECT_THAT(tensorflow_prefixes(
                  "model_checkpoint_path: \"ckpt-9\"\nall_model_checkpoint_paths: \"ckpt-8\"\n"
                  "all_model_checkpoint_paths: \"ckpt-9\"\n"),
              ElementsAre("ckpt-9", "ckpt-8", "ckpt-9"));
  EXPECT_TRUE(tensorflow_prefixes("something else").empty());
}

}  // namespace
}  // namespace muster::agent
