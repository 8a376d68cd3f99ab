#include "os/file/local_files.h"

#include "os/process/spawn.h"
#include "rt/io_loop.h"
#include "testing/refused_syscalls.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

/// A fresh folder for each test.
class LocalFilesTest : public ::testing::Test {
 protected:
  LocalFilesTest() {
    std::string name = ::testing::TempDir() + "/files.XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~LocalFilesTest() override { EXPECT_TRUE(files_->remove_tree(root_).has_value()); }

  rt::IoLoop loop_;
  std::unique_ptr<Files> files_ = make_local_files(&loop_);
  Path root_;
};

TEST_F(LocalFilesTest, WritesWholeFilesWithTheirMode) {
  const Path path = root_ / "secret";
  ASSERT_TRUE(files_->write(path, "one", {.mode = 0600, .durable = true}).has_value());
  ASSERT_TRUE(files_->write(path, "two", {.mode = 0600}).has_value());
  EXPECT_EQ(files_->read(path), "two");
  const auto stat = files_->stat(path);
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->mode, 0600U);
  EXPECT_EQ(stat->size_bytes, 3U);
  EXPECT_EQ(files_->list(root_)->size(), 1U);  // No temporary file is left.
}

TEST_F(LocalFilesTest, CreateNeverReplaces) {
  const Path path = root_ / "once";
  ASSERT_TRUE(files_->create(path, "one").has_value());
  EXPECT_EQ(files_->create(path, "two").error().code, Errc::AlreadyExists);
  EXPECT_EQ(files_->read(path), "one");
}

TEST_F(LocalFilesTest, ReadsPartsAndKeepsTheLimit) {
  const Path path = root_ / "digits";
  ASSERT_TRUE(files_->write(path, "0123456789").has_value());
  EXPECT_EQ(files_->read_part(path, 3, 4), "3456");
  EXPECT_EQ(files_->read_part(path, 8, 100), "89");
  EXPECT_EQ(files_->read_part(path, 20, 100), "");
  EXPECT_EQ(files_->read(path, 10), "0123456789");
  EXPECT_FALSE(files_->read(path, 9).has_value());
  EXPECT_EQ(files_->read(root_ / "none").error().code, Errc::NotFound);
}

TEST_F(LocalFilesTest, AppendsAndTruncates) {
  const Path path = root_ / "log";
  for (const std::string_view bytes : {"one", "two"}) {
    auto file = files_->open_append(path);
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE((*file)->append(bytes).has_value());
    ASSERT_TRUE((*file)->sync().has_value());
  }
  ASSERT_TRUE(files_->truncate(path, 4).has_value());
  EXPECT_EQ(files_->read(path), "onet");
}

TEST_F(LocalFilesTest, FullDiskLeavesNoHalfRecord) {
  // A file that may not grow behaves like a full disk.
  const Path path = root_ / "log";
  EXPECT_TRUE(testing::passes_without({}, [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 10, .rlim_max = 10};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    auto file = files_->open_append(path);
    ASSERT_TRUE(file.has_value());
    EXPECT_TRUE((*file)->append("12345678").has_value());
    EXPECT_FALSE((*file)->append("abcdefgh").has_value());
    EXPECT_EQ(files_->read(path), "12345678");
    EXPECT_EQ((*file)->size_bytes(), 8U);
    EXPECT_FALSE(files_->write(root_ / "other", "12345678901").has_value());
  }));
  EXPECT_EQ(files_->list(root_)->size(), 1U);
}

TEST_F(LocalFilesTest, MakesFolders) {
  EXPECT_TRUE(files_->make_folders(root_ / "a/b/c").has_value());
  EXPECT_TRUE(files_->make_folders(root_ / "a/b/c/").has_value());
  EXPECT_EQ(files_->make_folder(root_ / "a").error().code, Errc::AlreadyExists);
  ASSERT_TRUE(files_->write(root_ / "file", "").has_value());
  EXPECT_FALSE(files_->make_folders(root_ / "file/below").has_value());
  const std::vector<FolderEntry> expected{{"a", FileKind::Folder}, {"file", FileKind::File}};
  EXPECT_EQ(files_->list(root_), expected);
}

TEST_F(LocalFilesTest, CopiesTreesWithModesAndLinks) {
  ASSERT_TRUE(files_->make_folders(root_ / "from/bin").has_value());
  ASSERT_TRUE(files_->write(root_ / "from/bin/run", "#!/bin/sh\n", {.mode = 0755}).has_value());
  ASSERT_TRUE(files_->symbolic_link("bin/run", root_ / "from/link").has_value());
  ASSERT_TRUE(files_->copy_tree(root_ / "from", root_ / "to").has_value());
  EXPECT_EQ(files_->read(root_ / "to/bin/run"), "#!/bin/sh\n");
  EXPECT_EQ(files_->stat(root_ / "to/bin/run")->mode, 0755U);
  EXPECT_EQ(files_->stat(root_ / "to/bin/run")->modified,
            files_->stat(root_ / "from/bin/run")->modified);
  EXPECT_EQ(files_->stat(root_ / "to/link")->kind, FileKind::Link);
  EXPECT_EQ(files_->copy_tree(root_ / "from", root_ / "to").error().code, Errc::AlreadyExists);
  EXPECT_EQ(files_->copy_tree(root_ / "none", root_ / "x").error().code, Errc::NotFound);
  ASSERT_EQ(::mkfifo((root_ / "from/pipe").c_str(), 0600), 0);
  EXPECT_FALSE(files_->copy_tree(root_ / "from", root_ / "third").has_value());
}

TEST_F(LocalFilesTest, CopiesWithoutCopyFileRange) {
  EXPECT_TRUE(testing::passes_without({SYS_copy_file_range}, [&] {
    const std::string bytes(200'000, 'x');
    ASSERT_TRUE(files_->write(root_ / "from", bytes).has_value());
    ASSERT_TRUE(files_->copy_tree(root_ / "from", root_ / "to").has_value());
    EXPECT_EQ(files_->read(root_ / "to"), bytes);
  }));
}

TEST_F(LocalFilesTest, RemovesTreesWithoutFollowingLinks) {
  ASSERT_TRUE(files_->make_folders(root_ / "outside").has_value());
  ASSERT_TRUE(files_->write(root_ / "outside/kept", "").has_value());
  ASSERT_TRUE(files_->make_folders(root_ / "tree/deep/er").has_value());
  ASSERT_TRUE(files_->symbolic_link(root_ / "outside", root_ / "tree/deep/link").has_value());
  ASSERT_TRUE(files_->symbolic_link(root_ / "outside", root_ / "link").has_value());
  ASSERT_EQ(::chmod((root_ / "tree/deep").c_str(), 0000), 0);
  EXPECT_TRUE(files_->remove_tree(root_ / "tree").has_value());
  EXPECT_TRUE(files_->remove_tree(root_ / "link").has_value());
  EXPECT_TRUE(files_->remove_tree(root_ / "none").has_value());
  EXPECT_FALSE(files_->exists(root_ / "tree"));
  EXPECT_TRUE(files_->exists(root_ / "outside/kept"));
}

TEST_F(LocalFilesTest, LinksAndRenames) {
  ASSERT_TRUE(files_->write(root_ / "one", "1").has_value());
  ASSERT_TRUE(files_->hard_link(root_ / "one", root_ / "two").has_value());
  EXPECT_EQ(files_->hard_link(root_ / "one", root_ / "two").error().code, Errc::AlreadyExists);
  ASSERT_TRUE(files_->rename(root_ / "two", root_ / "three").has_value());
  EXPECT_EQ(files_->read(root_ / "three"), "1");
  EXPECT_TRUE(files_->remove(root_ / "three").has_value());
  EXPECT_TRUE(files_->remove(root_ / "three").has_value());
  EXPECT_GT(files_->disk_space(root_)->total_bytes, 0U);
}

TEST_F(LocalFilesTest, LockExcludesOthersInTheSameProcessToo) {
  const Path path = root_ / "lock";
  auto first = files_->try_lock(path);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(files_->stat(path)->mode, 0600U);
  EXPECT_EQ(files_->try_lock(path).error().code, Errc::AlreadyExists);
  first->reset();
  EXPECT_TRUE(files_->try_lock(path).has_value());
}

TEST_F(LocalFilesTest, WaitEndsWhenTheHolderLetsGo) {
  auto held = files_->try_lock(root_ / "lock");
  ASSERT_TRUE(held.has_value());
  bool released = false;
  std::unique_ptr<FileLock> got;
  const auto wait = files_->wait_lock(root_ / "lock", 0600, [&](auto lock) {
    EXPECT_TRUE(released);
    ASSERT_TRUE(lock.has_value());
    got = std::move(*lock);
    loop_.stop();
  });
  loop_.post([&] {
    released = true;
    held->reset();
  });
  loop_.run_until(loop_.now() + 10s);
  EXPECT_NE(got, nullptr);
  EXPECT_FALSE(files_->try_lock(root_ / "lock").has_value());
}

TEST_F(LocalFilesTest, WaitMayBeGivenUp) {
  const auto held = files_->try_lock(root_ / "lock");
  ASSERT_TRUE(held.has_value());
  for (int round = 0; round < 20; ++round) {
    auto wait = files_->wait_lock(root_ / "lock", 0600, [](auto) { FAIL(); });
    wait.reset();
  }
  loop_.run_until(loop_.now() + 1ms);
}

TEST_F(LocalFilesTest, WaitReportsAFolderThatIsMissing) {
  bool told = false;
  const auto wait = files_->wait_lock(root_ / "none/lock", 0600, [&](auto lock) {
    told = true;
    EXPECT_EQ(lock.error().code, Errc::NotFound);
    loop_.stop();
  });
  EXPECT_FALSE(told);
  loop_.run_until(loop_.now() + 10s);
  EXPECT_TRUE(told);
}

TEST_F(LocalFilesTest, LockEndsWithItsProcessAndIsNotInherited) {
  const pid_t holder = ::fork();
  if (holder == 0) {
    auto lock = files_->try_lock(root_ / "lock");
    // The child of the holder lives on; the lock must not.
    const auto child = spawn({.argv = {"/bin/sleep", "60"}, .parent_death_signal = std::nullopt});
    (void)files_->write(root_ / "child", std::to_string(child->pid.value));
    ::_exit(lock.has_value() ? 0 : 1);
  }
  EXPECT_EQ(reap(Pid(holder))->code, 0);
  // vfork lets the holder continue shortly before its child has closed what it does not inherit.
  bool free = false;
  const auto wait = files_->wait_lock(root_ / "lock", 0600, [&](auto lock) {
    free = lock.has_value();
    loop_.stop();
  });
  loop_.run_until(loop_.now() + 30s);
  EXPECT_TRUE(free);
  ::kill(std::stoi(*files_->read(root_ / "child")), SIGKILL);
}

}  // namespace
}  // namespace muster::os
