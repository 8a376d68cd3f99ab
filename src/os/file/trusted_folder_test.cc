#include "os/file/trusted_folder.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::os {
namespace {

class TrustedFolder : public ::testing::Test {
 protected:
  TrustedFolder() {
    std::string name = "/tmp/trusted.XXXXXX";
    root_ = ::mkdtemp(name.data());
    mode(make("above"), 0755);
    mode(make("above/home"), 0700);
  }
  ~TrustedFolder() override { EXPECT_TRUE(files_->remove_tree(root_).has_value()); }

  Path make(const std::string& name) {
    EXPECT_TRUE(files_->make_folders(root_ / name).has_value());
    return root_ / name;
  }
  static void mode(const Path& path, mode_t mode) { EXPECT_EQ(::chmod(path.c_str(), mode), 0); }
  /// Returns what is said against a folder; "" if it is trusted.
  [[nodiscard]] std::string refusal(const std::string& name, Above above = Above::Checked) const {
    const Status checked = check_trusted(root_ / name, above);
    const std::string message = checked ? "" : checked.error().message;
    return message.starts_with(root_.string() + "/") ? message.substr(root_.string().size() + 1)
                                                     : message;
  }

  std::unique_ptr<Files> files_ = make_local_files(nullptr);
  Path root_;
};

TEST_F(TrustedFolder, IsOneThatOnlyItsOwnerCanWrite) {
  EXPECT_EQ(refusal("above/home"), "");
  EXPECT_EQ(refusal("above/home/not/there/yet"), "");
  mode(root_ / "above/home", 0777);
  EXPECT_TRUE(
      refusal("above/home")
          .starts_with("above/home can be written by other users (mode 0777; `chmod go-w "));
  mode(root_ / "above/home", 0755);
  EXPECT_EQ(refusal("above/home"), "");
}

TEST_F(TrustedFolder, LiesWhereNobodyCanReplaceIt) {
  mode(root_ / "above", 0777);
  EXPECT_TRUE(refusal("above/home").starts_with("above can be written by other users"));
  EXPECT_EQ(refusal("above/home", Above::Trusted), "");
  mode(root_ / "above", 01777);
  EXPECT_EQ(refusal("above/home"), "");
  EXPECT_TRUE(refusal("above").starts_with("above can be written by other users"));
}

TEST_F(TrustedFolder, IsNotAnotherUsersNorBelowOne) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give a folder away";
  }
  ASSERT_EQ(::chown((root_ / "above/home").c_str(), 54321, 54321), 0);
  EXPECT_EQ(refusal("above/home"), "above/home belongs to another user (uid 54321)");
  EXPECT_EQ(refusal("above/home", Above::Trusted),
            "above/home belongs to another user (uid 54321)");
  ASSERT_EQ(::chown((root_ / "above/home").c_str(), 0, 54321), 0);
  mode(root_ / "above/home", 0770);
  EXPECT_TRUE(refusal("above/home").starts_with("above/home can be written by other users"));
  mode(root_ / "above/home", 0700);
  EXPECT_EQ(refusal("above/home"), "");
  ASSERT_EQ(::chown((root_ / "above").c_str(), 54321, 54321), 0);
  EXPECT_EQ(refusal("above/home"), "above belongs to another user (uid 54321)");
  EXPECT_EQ(refusal("above/not-there"), "above belongs to another user (uid 54321)");
  EXPECT_EQ(refusal("above/home", Above::Trusted), "");
}

TEST_F(TrustedFolder, IsFoundByLinksOfItsOwnerOnly) {
  const Path link = root_ / "link";
  std::filesystem::create_symlink("above", link);
  EXPECT_EQ(refusal("link/home"), "");
  mode(root_ / "above/home", 0777);
  EXPECT_TRUE(refusal("link/home").starts_with("above/home can be written by other users"));
  mode(root_ / "above/home", 0700);
  std::filesystem::create_symlink(root_ / "loop", root_ / "loop");
  EXPECT_EQ(refusal("loop/home"), "");
  if (::geteuid() == 0) {
    ASSERT_EQ(::lchown(link.c_str(), 54321, 54321), 0);
    EXPECT_EQ(refusal("link/home"), "link is a link of another user (uid 54321)");
  }
}

}  // namespace
}  // namespace muster::os
