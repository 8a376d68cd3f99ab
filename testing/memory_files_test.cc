#include "testing/memory_files.h"

#include <gtest/gtest.h>

namespace muster::testing {
namespace {

struct Tree : ::testing::Test {
  MemoryTree tree;
  MemoryFiles files{tree};
};

TEST_F(Tree, KeepsFilesInFolders) {
  EXPECT_EQ(files.write("/a/b/f", "x", {}).error().code, Errc::NotFound);
  ASSERT_TRUE(files.make_folders("/a/b/", 0755).has_value());
  ASSERT_TRUE(files.write("/a/b/f", "one", {}).has_value());
  EXPECT_EQ(files.create("/a/b/f", "two", {}).error().code, Errc::AlreadyExists);
  EXPECT_EQ(files.read("/a/b/f", 10).value(), "one");
  EXPECT_EQ(files.read_part("/a/b/f", 1, 1).value(), "n");
  EXPECT_EQ(files.list("/a").value(), (std::vector<os::FolderEntry>{{"b", os::FileKind::Folder}}));
  ASSERT_TRUE(files.remove_tree("/a").has_value());
  EXPECT_FALSE(files.exists("/a/b/f"));
}

TEST_F(Tree, AppendsToWhatWasOpenedWhateverItsNameIsNow) {
  auto file = files.open_append("/log", 0644).value();
  ASSERT_TRUE(file->append("one").has_value());
  ASSERT_TRUE(files.rename("/log", "/log.1").has_value());
  ASSERT_TRUE(file->append("two").has_value());
  EXPECT_EQ(files.read("/log.1", 10).value(), "onetwo");
  EXPECT_FALSE(files.exists("/log"));
}

TEST_F(Tree, RenamesAndCopiesFoldersWithAllBelow) {
  ASSERT_TRUE(files.make_folders("/a/b", 0755).has_value());
  ASSERT_TRUE(files.write("/a/b/f", "one", {}).has_value());
  ASSERT_TRUE(files.copy_tree("/a", "/copy").has_value());
  ASSERT_TRUE(files.write("/a/b/f", "two", {}).has_value());
  ASSERT_TRUE(files.rename("/a", "/moved").has_value());
  EXPECT_EQ(files.read("/copy/b/f", 10).value(), "one");
  EXPECT_EQ(files.read("/moved/b/f", 10).value(), "two");
  EXPECT_EQ(files.rename("/copy", "/moved").error().code, Errc::AlreadyExists);
}

TEST_F(Tree, FailsWhereATestSaysSo) {
  files.trouble = [](const os::Path&, MemoryFiles::Access access) -> Status {
    if (access == MemoryFiles::Access::Write) {
      return Error{Errc::OutOfSpace, Blame::Cluster, "full"};
    }
    return {};
  };
  EXPECT_EQ(files.write("/f", "x", {}).error().code, Errc::OutOfSpace);
  EXPECT_TRUE(tree.nodes.empty());
}

TEST_F(Tree, LocksAreHeldUntilTheyGo) {
  auto lock = files.try_lock("/lock", 0600);
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(files.try_lock("/lock", 0600).error().code, Errc::AlreadyExists);
  lock->reset();
  EXPECT_TRUE(files.try_lock("/lock", 0600).has_value());
}

}  // namespace
}  // namespace muster::testing
