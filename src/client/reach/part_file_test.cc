#include "client/reach/part_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::client {
namespace {

namespace fs = std::filesystem;

/// Both kinds of file behave alike, except for the names that a killed process leaves behind.
struct PartFiles : ::testing::TestWithParam<bool> {
  PartFiles() {
    std::string name = (fs::temp_directory_path() / "part-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    target = folder / "model";
  }
  ~PartFiles() override { fs::remove_all(folder); }

  [[nodiscard]] Result<PartFile> create() const {
    return PartFile::create({.target = target, .nameless = GetParam()});
  }
  static void write(const PartFile& file, std::string_view text) {
    ASSERT_EQ(::write(file.fd(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  fs::path folder;
  fs::path target;
};

TEST_P(PartFiles, GetTheNameWhenTheyAreWhole) {
  for (const std::string text : {"first", "second"}) {
    Result<PartFile> file = create();
    ASSERT_TRUE(file.has_value());
    write(*file, text);
    EXPECT_EQ(fs::exists(target), text == "second") << "the old one stays until then";
    ASSERT_TRUE(file->keep().has_value());
    EXPECT_EQ(read(target), text);
  }
  EXPECT_EQ(names(), std::set<std::string>{"model"});
  struct stat status{};
  ASSERT_EQ(::stat(target.c_str(), &status), 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
}

TEST_P(PartFiles, HaveTheirEndTakenOff) {
  auto file = create();
  ASSERT_TRUE(file.has_value());
  write(*file, "content  644");
  EXPECT_EQ(file->take_end(5), "  644");
  ASSERT_TRUE(file->keep(0755).has_value());
  EXPECT_EQ(read(target), "content");
}

TEST_P(PartFiles, KeepThePermissionsOfWhatTheyReplace) {
  const auto copied = [this](mode_t permissions) {
    Result<PartFile> file = create();
    EXPECT_TRUE(file.has_value() && file->keep(permissions).has_value());
    struct stat status{};
    EXPECT_EQ(::stat(target.c_str(), &status), 0);
    return status.st_mode & 07777;
  };
  const mode_t mask = ::umask(022);
  EXPECT_EQ(copied(04777), 0755U);
  EXPECT_EQ(copied(0600), 0755U);
  ASSERT_EQ(::chmod(target.c_str(), 0600), 0);
  EXPECT_EQ(copied(0777), 0600U);
  ::umask(mask);
}

TEST_P(PartFiles, LeaveNothingWhenTheyAreDropped) {
  {
    const Result<PartFile> file = create();
    ASSERT_TRUE(file.has_value());
    write(*file, "half");
  }
  EXPECT_TRUE(names().empty());
}

TEST_P(PartFiles, RemoveWhatAKilledCopyToThatNameHasLeft) {
  std::ofstream(folder / "model.muster-a1b2c3") << "left";
  std::ofstream(folder / "model.muster-a1b2c3d") << "another's";
  std::ofstream(folder / "other.muster-a1b2c3") << "another's";
  std::ofstream(folder / "model.muster-grows1") << "grows";
  const rt::Fd grows(::open((folder / "model.muster-grows1").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(grows.get(), LOCK_EX), 0);
  Result<PartFile> file = create();
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE(file->keep().has_value());
  EXPECT_EQ(names(), (std::set<std::string>{"model", "model.muster-a1b2c3d", "model.muster-grows1",
                                            "other.muster-a1b2c3"}));
}

TEST_P(PartFiles, DoNotDisturbOneAnother) {
  Result<PartFile> one = create();
  Result<PartFile> other = create();
  ASSERT_TRUE(one.has_value());
  ASSERT_TRUE(other.has_value());
  write(*one, "one");
  write(*other, "other");
  ASSERT_TRUE(one->keep().has_value());
  EXPECT_EQ(read(target), "one");
  ASSERT_TRUE(other->keep().has_value());
  EXPECT_EQ(read(target), "other");
}

TEST_P(PartFiles, SayWhereTheyCannotBe) {
  const auto file = PartFile::create({.target = folder / "no" / "model", .nameless = GetParam()});
  ASSERT_FALSE(file.has_value());
  EXPECT_TRUE(file.error().message.find("no/model") != std::string::npos) << file.error().message;
  fs::create_directory(target);
  Result<PartFile> late = create();
  ASSERT_TRUE(late.has_value());
  EXPECT_FALSE(late->keep().has_value());
}

TEST_P(PartFiles, AreNotTakenForLeftBehindOnceTheyAreLocked) {
  const fs::path made = folder / "made";
  fs::create_directory(made);
  const auto open = [&made] { return rt::Fd(::open(made.c_str(), O_RDONLY | O_DIRECTORY)); };
  const rt::Fd ours = open();
  rt::Fd another = open();
  ASSERT_EQ(::flock(another.get(), LOCK_EX), 0);
  EXPECT_FALSE(lock_new(ours.get())) << "another copy is about to remove it";
  fs::remove(made);
  another.reset();
  EXPECT_FALSE(lock_new(ours.get())) << "it is removed";
  fs::create_directory(made);
  const rt::Fd again = open();
  EXPECT_TRUE(lock_new(again.get()));
  EXPECT_NE(::flock(open().get(), LOCK_EX | LOCK_NB), 0);
}

INSTANTIATE_TEST_SUITE_P(, PartFiles, ::testing::Bool(), [](const auto& kind) {
  return kind.param ? "WithoutAName" : "WithAName";
});

}  // namespace
}  // namespace muster::client
