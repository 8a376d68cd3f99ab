#include "client/portal/admin_book.h"

#include "os/file/local_files.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <string>

namespace muster::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AdminBookTest : public ::testing::Test {
 protected:
  AdminBookTest() {
    char name[] = "/tmp/admin-book-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~AdminBookTest() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& text, uint32_t mode = 0644) {
    ASSERT_TRUE(files_->write(file(), text, {.mode = mode}));
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "admins"; }

  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  std::filesystem::path folder_;
};

TEST_F(AdminBookTest, AChangedFileCountsAtOnce) {
  write("# who\n\n alice \nbob\n");
  const AdminBook book = AdminBook::read(*files_, {"root"}, file()).value();
  EXPECT_THAT(book.users(), ElementsAre("alice", "bob", "root"));
  write("bob and others\n");
  EXPECT_THAT(book.users(), ElementsAre("root")) << "it cannot be read";
  write("carol\n");
  EXPECT_THAT(book.users(), ElementsAre("carol", "root"));
  std::filesystem::remove(file());
  EXPECT_THAT(book.users(), ElementsAre("root"));
}

TEST_F(AdminBookTest, WhatIsWrongIsNamed) {
  write("alice\nbob, carol\n");
  EXPECT_THAT(AdminBook::read(*files_, {}, file()).error().message,
              HasSubstr("admins:2: must be one user"));
  write("alice\n");
  std::filesystem::permissions(file(), std::filesystem::perms(0666));
  EXPECT_THAT(AdminBook::read(*files_, {}, file()).error().message, HasSubstr("chmod 644"));
  EXPECT_FALSE(AdminBook::read(*files_, {}, folder_ / "none"));
}

}  // namespace
}  // namespace muster::client
