#include "os/file/foreign_files.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>

namespace muster::os {
namespace {

class ForeignFilesTest : public ::testing::Test {
 protected:
  ForeignFilesTest() {
    std::string name =
        (std::filesystem::canonical(std::filesystem::temp_directory_path()) / "foreign-XXXXXX")
            .string();
    root = ::mkdtemp(name.data());
    EXPECT_TRUE(local->make_folders(root / "folder").has_value());
    EXPECT_TRUE(local->write(root / "folder" / "file", "0123456789").has_value());
  }
  ~ForeignFilesTest() override { (void)local->remove_tree(root); }

  const std::unique_ptr<Files> local = make_local_files(nullptr);
  const std::unique_ptr<Files> foreign = make_foreign_files();
  Path root;
};

TEST_F(ForeignFilesTest, ReadsFilesAndFolders) {
  EXPECT_EQ(foreign->read(root / "folder" / "file", 100).value(), "0123456789");
  EXPECT_EQ(foreign->read_part(root / "folder" / "file", 3, 4).value(), "3456");
  EXPECT_FALSE(foreign->read(root / "folder" / "file", 9).has_value());
  EXPECT_EQ(foreign->list(root).value(), (std::vector<FolderEntry>{{"folder", FileKind::Folder}}));
  EXPECT_EQ(foreign->stat(root / "folder" / "file").value().size_bytes, 10U);
  EXPECT_EQ(foreign->read(root / "none", 100).error().code, Errc::NotFound);
}

TEST_F(ForeignFilesTest, FollowsNoLinkInAnyPart) {
  ASSERT_TRUE(local->symbolic_link("folder", root / "way").has_value());
  ASSERT_TRUE(local->symbolic_link("file", root / "folder" / "link").has_value());
  EXPECT_EQ(foreign->read(root / "way" / "file", 100).error().code, Errc::NotFound);
  EXPECT_EQ(foreign->read(root / "folder" / "link", 100).error().code, Errc::NotFound);
  EXPECT_EQ(foreign->list(root / "way").error().code, Errc::NotFound);
  EXPECT_EQ(foreign->read(root / "folder" / ".." / "folder" / "file", 100).error().code,
            Errc::NotFound);
  EXPECT_EQ(foreign->stat(root / "folder" / "link").value().kind, FileKind::Link);
}

TEST_F(ForeignFilesTest, APipeHoldsNobodyUp) {
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(foreign->read(root / "pipe", 100).error().code, Errc::NotFound);
}

TEST_F(ForeignFilesTest, NoFileIsLongerThanItsReaderCanBear) {
  ASSERT_TRUE(local->write(root / "sparse", "x").has_value());
  std::filesystem::resize_file(root / "sparse", uint64_t{8} << 30);
  const Result<std::string> whole = foreign->read(root / "sparse", uint64_t{16} << 30);
  ASSERT_FALSE(whole.has_value());
  EXPECT_TRUE(whole.error().message.contains("larger than its limit of 67108864 bytes"))
      << whole.error().message;
  EXPECT_EQ(foreign->read_part(root / "sparse", 0, 1).value(), "x");
}

TEST_F(ForeignFilesTest, ReadsNoMoreThanItsBudget) {
  ReadBudget budget;
  const std::unique_ptr<Files> bounded = make_foreign_files(&budget);
  const Path file = root / "folder" / "file";
  budget.left_bytes = 3 * kReadCallCost + 15 + kReadEntryCost;
  EXPECT_EQ(bounded->read(file, 100).value(), "0123456789");
  EXPECT_EQ(bounded->list(root / "folder").value().size(), 1U);
  EXPECT_EQ(budget.left_bytes, kReadCallCost + 5);
  EXPECT_EQ(bounded->read(file, 100).error().code, Errc::OutOfSpace);
  EXPECT_EQ(budget.left_bytes, 0U);
  EXPECT_EQ(bounded->stat(file).error().code, Errc::OutOfSpace);
  EXPECT_EQ(bounded->list(root).error().code, Errc::OutOfSpace);
  budget = {};
  EXPECT_EQ(bounded->read(file, 100).value(), "0123456789");
}

TEST_F(ForeignFilesTest, ChangesNothing) {
  EXPECT_EQ(foreign->write(root / "folder" / "file", "x").error().code, Errc::Unsupported);
  EXPECT_EQ(foreign->remove_tree(root).error().code, Errc::Unsupported);
  EXPECT_TRUE(local->exists(root / "folder" / "file"));
}

}  // namespace
}  // namespace muster::os
