#include "os/local_files.h"

#include "os/spawn.h"
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
    root = ::mkdtemp(name.data());
  }
  ~LocalFilesTest() override { EXPECT_TRUE(files->remove_tree(root).has_value()); }

  rt::IoLoop loop;
  std::unique_ptr<Files> files = make_local_files(&loop);
  Path root;
};

TEST_F(LocalFilesTest, WritesWholeFilesWithTheirMode) {
  const Path path = root / "secret";
  ASSERT_TRUE(files->write(path, "one", {.mode = 0600, .durable = true}).has_value());
  ASSERT_TRUE(files->write(path, "two", {.mode = 0600}).has_value());
  EXPECT_EQ(files->read(path), "two");
  const auto stat = files->stat(path);
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->mode, 0600U);
  EXPECT_EQ(stat->size_bytes, 3U);
  EXPECT_EQ(files->list(root)->size(), 1U);  // No temporary file stays.
}

TEST_F(LocalFilesTest, CreateNeverReplaces) {
  const Path path = root / "once";
  ASSERT_TRUE(files->create(path, "one").has_value());
  EXPECT_EQ(files->create(path, "two").error().code, Errc::AlreadyExists);
  EXPECT_EQ(files->read(path), "one");
}

TEST_F(LocalFilesTest, ReadsPartsAndKeepsTheLimit) {
  const Path path = root / "digits";
  ASSERT_TRUE(files->write(path, "0123456789").has_value());
  EXPECT_EQ(files->read_part(path, 3, 4), "3456");
  EXPECT_EQ(files->read_part(path, 8, 100), "89");
  EXPECT_EQ(files->read_part(path, 20, 100), "");
  EXPECT_EQ(files->read(path, 10), "0123456789");
  EXPECT_FALSE(files->read(path, 9).has_value());
  EXPECT_EQ(files->read(root / "none").error().code, Errc::NotFound);
}

TEST_F(LocalFilesTest, AppendsAndTruncates) {
  const Path path = root / "log";
  for (const std::string_view bytes : {"one", "two"}) {
    auto file = files->open_append(path);
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE((*file)->append(bytes).has_value());
    ASSERT_TRUE((*file)->sync().has_value());
  }
  ASSERT_TRUE(files->truncate(path, 4).has_value());
  EXPECT_EQ(files->read(path), "onet");
}

TEST_F(LocalFilesTest, FullDiskLeavesNoHalfRecord) {
  // A file that may not grow behaves as a full disk does.
  const Path path = root / "log";
  EXPECT_TRUE(testing::passes_without({}, [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 10, .rlim_max = 10};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    auto file = files->open_append(path);
    ASSERT_TRUE(file.has_value());
    EXPECT_TRUE((*file)->append("12345678").has_value());
    EXPECT_FALSE((*file)->append("abcdefgh").has_value());
    EXPECT_EQ(files->read(path), "12345678");
    EXPECT_EQ((*file)->size_bytes(), 8U);
    EXPECT_FALSE(files->write(root / "other", "12345678901").has_value());
  }));
  EXPECT_EQ(files->list(root)->size(), 1U);
}

TEST_F(LocalFilesTest, MakesFolders) {
  EXPECT_TRUE(files->make_folders(root / "a/b/c").has_value());
  EXPECT_TRUE(files->make_folders(root / "a/b/c/").has_value());
  EXPECT_EQ(files->make_folder(root / "a").error().code, Errc::AlreadyExists);
  ASSERT_TRUE(files->write(root / "file", "").has_value());
  EXPECT_FALSE(files->make_folders(root / "file/below").has_value());
  const std::vector<FolderEntry> expected{{"a", FileKind::Folder}, {"file", FileKind::File}};
  EXPECT_EQ(files->list(root), expected);
}

TEST_F(LocalFilesTest, CopiesTreesWithModesAndLinks) {
  ASSERT_TRUE(files->make_folders(root / "from/bin").has_value());
  ASSERT_TRUE(files->write(root / "from/bin/run", "#!/bin/sh\n", {.mode = 0755}).has_value());
  ASSERT_TRUE(files->symbolic_link("bin/run", root / "from/link").has_value());
  ASSERT_TRUE(files->copy_tree(root / "from", root / "to").has_value());
  EXPECT_EQ(files->read(root / "to/bin/run"), "#!/bin/sh\n");
  EXPECT_EQ(files->stat(root / "to/bin/run")->mode, 0755U);
  EXPECT_EQ(files->stat(root / "to/bin/run")->modified,
            files->stat(root / "from/bin/run")->modified);
  EXPECT_EQ(files->stat(root / "to/link")->kind, FileKind::Link);
  EXPECT_EQ(files->copy_tree(root / "from", root / "to").error().code, Errc::AlreadyExists);
  EXPECT_EQ(files->copy_tree(root / "none", root / "x").error().code, Errc::NotFound);
  ASSERT_EQ(::mkfifo((root / "from/pipe").c_str(), 0600), 0);
  EXPECT_FALSE(files->copy_tree(root / "from", root / "third").has_value());
}

TEST_F(LocalFilesTest, CopiesWithoutCopyFileRange) {
  EXPECT_TRUE(testing::passes_without({SYS_copy_file_range}, [&] {
    const std::string bytes(200'000, 'x');
    ASSERT_TRUE(files->write(root / "from", bytes).has_value());
    ASSERT_TRUE(files->copy_tree(root / "from", root / "to").has_value());
    EXPECT_EQ(files->read(root / "to"), bytes);
  }));
}

TEST_F(LocalFilesTest, RemovesTreesWithoutFollowingLinks) {
  ASSERT_TRUE(files->make_folders(root / "outside").has_value());
  ASSERT_TRUE(files->write(root / "outside/kept", "").has_value());
  ASSERT_TRUE(files->make_folders(root / "tree/deep/er").has_value());
  ASSERT_TRUE(files->symbolic_link(root / "outside", root / "tree/deep/link").has_value());
  ASSERT_TRUE(files->symbolic_link(root / "outside", root / "link").has_value());
  ASSERT_EQ(::chmod((root / "tree/deep").c_str(), 0000), 0);
  EXPECT_TRUE(files->remove_tree(root / "tree").has_value());
  EXPECT_TRUE(files->remove_tree(root / "link").has_value());
  EXPECT_TRUE(files->remove_tree(root / "none").has_value());
  EXPECT_FALSE(files->exists(root / "tree"));
  EXPECT_TRUE(files->exists(root / "outside/kept"));
}

TEST_F(LocalFilesTest, LinksAndRenames) {
  ASSERT_TRUE(files->write(root / "one", "1").has_value());
  ASSERT_TRUE(files->hard_link(root / "one", root / "two").has_value());
  EXPECT_EQ(files->hard_link(root / "one", root / "two").error().code, Errc::AlreadyExists);
  ASSERT_TRUE(files->rename(root / "two", root / "three").has_value());
  EXPECT_EQ(files->read(root / "three"), "1");
  EXPECT_TRUE(files->remove(root / "three").has_value());
  EXPECT_TRUE(files->remove(root / "three").has_value());
  EXPECT_GT(files->disk_space(root)->total_bytes, 0U);
}

TEST_F(LocalFilesTest, LockExcludesOthersInTheSameProcessToo) {
  const Path path = root / "lock";
  auto first = files->try_lock(path);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(files->stat(path)->mode, 0600U);
  EXPECT_EQ(files->try_lock(path).error().code, Errc::AlreadyExists);
  first->reset();
  EXPECT_TRUE(files->try_lock(path).has_value());
}

TEST_F(LocalFilesTest, WaitEndsWhenTheHolderLetsGo) {
  auto held = files->try_lock(root / "lock");
  ASSERT_TRUE(held.has_value());
  bool released = false;
  std::unique_ptr<FileLock> got;
  const auto wait = files->wait_lock(root / "lock", 0600, [&](auto lock) {
    EXPECT_TRUE(released);
    ASSERT_TRUE(lock.has_value());
    got = std::move(*lock);
    loop.stop();
  });
  loop.post([&] {
    released = true;
    held->reset();
  });
  loop.run_until(loop.now() + 10s);
  EXPECT_NE(got, nullptr);
  EXPECT_FALSE(files->try_lock(root / "lock").has_value());
}

TEST_F(LocalFilesTest, WaitMayBeGivenUp) {
  const auto held = files->try_lock(root / "lock");
  ASSERT_TRUE(held.has_value());
  for (int round = 0; round < 20; ++round) {
    auto wait = files->wait_lock(root / "lock", 0600, [](auto) { FAIL(); });
    wait.reset();
  }
  loop.run_until(loop.now() + 1ms);
}

TEST_F(LocalFilesTest, WaitReportsAFolderThatIsMissing) {
  bool told = false;
  const auto wait = files->wait_lock(root / "none/lock", 0600, [&](auto lock) {
    told = true;
    EXPECT_EQ(lock.error().code, Errc::NotFound);
    loop.stop();
  });
  EXPECT_FALSE(told);
  loop.run_until(loop.now() + 10s);
  EXPECT_TRUE(told);
}

TEST_F(LocalFilesTest, LockEndsWithItsProcessAndIsNotInherited) {
  const pid_t holder = ::fork();
  if (holder == 0) {
    auto lock = files->try_lock(root / "lock");
    // The child of the holder lives on; the lock must not.
    const auto child = spawn({.argv = {"/bin/sleep", "60"}, .parent_death_signal = std::nullopt});
    (void)files->write(root / "child", std::to_string(child->pid.value));
    ::_exit(lock.has_value() ? 0 : 1);
  }
  EXPECT_EQ(reap(Pid(holder))->code, 0);
  EXPECT_TRUE(files->try_lock(root / "lock").has_value());
  ::kill(std::stoi(*files->read(root / "child")), SIGKILL);
}

}  // namespace
}  // namespace muster::os
