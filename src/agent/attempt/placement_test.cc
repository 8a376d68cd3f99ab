#include "agent/attempt/placement.h"

#include "os/file/local_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Placing : public ::testing::Test {
 protected:
  Placing() : root_(make_root()), home_(root_ / "home"), task_(root_ / "task") {
    fs::create_directories(home_);
    fs::create_directories(task_);
  }
  ~Placing() override { fs::remove_all(root_); }

  static fs::path make_root() {
    char name[] = "/tmp/placement-XXXXXX";
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
  Status place(const std::vector<spec::File>& files) { return placement_.place(files, task_); }

  fs::path root_;
  fs::path home_;
  fs::path task_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  std::stop_source stop_;
  Placement placement_{*files_, make_unpacker(), stop_.get_token()};
};

TEST_F(Placing, CopiesFilesAndFoldersWithTheirModes) {
  write(home_ / "train.py", "print(1)");
  ::chmod((home_ / "train.py").c_str(), 0750);
  write(home_ / "data/a b\nc.txt", "x");
  ASSERT_TRUE(
      place({{home_ / "train.py", "", {}}, {(home_ / "data/").string(), "", {}}}).has_value());
  EXPECT_EQ(read(task_ / "train.py"), "print(1)");
  EXPECT_EQ(fs::status(task_ / "train.py").permissions(), fs::perms(0750));
  EXPECT_EQ(read(task_ / "data/a b\nc.txt"), "x");
  write(task_ / "train.py", "changed by the task");
  EXPECT_EQ(read(home_ / "train.py"), "print(1)");
}

TEST_F(Placing, GivesThemTheirNamesAndReplacesOlderOnes) {
  write(home_ / "one", "1");
  ASSERT_TRUE(place({{home_ / "one", "sub/two", {}}}).has_value());
  write(home_ / "one", "2");
  ASSERT_TRUE(place({{home_ / "one", "sub/two", {}}}).has_value());
  EXPECT_EQ(read(task_ / "sub/two"), "2");
}

TEST_F(Placing, LinksWhatIsLarge) {
  write(home_ / "big", "");
  fs::resize_file(home_ / "big", Placement::kCopyBytesMax + 1);
  ASSERT_TRUE(place({{home_ / "big", "", {}}}).has_value());
  EXPECT_TRUE(fs::is_symlink(task_ / "big"));
}

TEST_F(Placing, UnpacksArchives) {
  write(home_ / "data/x.txt", "x");
  const std::string tar =
      "tar -C " + home_.string() + " -czf " + (home_ / "data.tgz").string() + " data";
  ASSERT_EQ(::system(tar.c_str()), 0);
  ASSERT_TRUE(place({{home_ / "data.tgz", "", {}}}).has_value());
  EXPECT_EQ(read(task_ / "data/data/x.txt"), "x");
  ASSERT_TRUE(place({{home_ / "data.tgz", "", spec::Unpack::No}}).has_value());
  EXPECT_TRUE(fs::is_regular_file(task_ / "data.tgz"));
}

TEST_F(Placing, SaysWhenAnArchiveIsNone) {
  write(home_ / "bad.tar.gz", "no archive");
  const Status placed = place({{home_ / "bad.tar.gz", "", {}}});
  ASSERT_FALSE(placed.has_value());
  EXPECT_THAT(placed.error().message, HasSubstr("bad.tar.gz: cannot unpack the archive: "));
  EXPECT_THAT(placed.error().message, HasSubstr("not in gzip format")) << "and why, in tar's words";
  EXPECT_FALSE(fs::exists(task_ / "bad")) << "half an unpacking is not there under its name";
}

/// The archive has a link that leads out of it, and a file behind that link.
TEST_F(Placing, FollowsNoLinkOfAZipWhereThereIsNoUnzip) {
  fs::create_directories(home_ / "bin");
  fs::create_directories(home_ / "outside");
  fs::create_symlink("/usr/bin/python3", home_ / "bin/python3");
  const std::string zip = R"(/usr/bin/python3 -c 'import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1], "w")
link = zipfile.ZipInfo("l")
link.external_attr = 0o120777 << 16
archive.writestr(link, sys.argv[2])
archive.writestr("l/x", "x")
archive.close()' )" + (home_ / "a.zip").string() +
                          " " + (home_ / "outside").string();
  ASSERT_EQ(::system(zip.c_str()), 0);
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", (home_ / "bin").c_str(), 1);
  const Status placed = place({{home_ / "a.zip", "", {}}});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(placed.has_value());
  EXPECT_TRUE(fs::is_empty(home_ / "outside"));
}

TEST_F(Placing, RefusesWhatItCannotPlace) {
  EXPECT_EQ(place({{home_ / "missing", "", {}}}).error().code, Errc::NotFound);
  EXPECT_EQ(place({{"hdfs:///x", "", {}}}).error().code, Errc::Unsupported);
  write(home_ / "f", "1");
  EXPECT_THAT(place({{home_ / "f", "../f", {}}}).error().message,
              HasSubstr("must not contain \"..\""));
  EXPECT_THAT(place({{home_ / "f", "/f", {}}}).error().message, HasSubstr("relative"));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof address.sun_path, "%s", (home_ / "s").c_str());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_FALSE(place({{home_ / "s", "", {}}}).has_value());
  ::close(fd);
}

TEST_F(Placing, StopsWhenItsAttemptWasStopped) {
  write(home_ / "f", "1");
  stop_.request_stop();
  EXPECT_EQ(place({{home_ / "f", "", {}}}).error().code, Errc::Cancelled);
}

TEST_F(Placing, FindsTheInterpreterOfAPythonEnvironment) {
  write(home_ / "venv/bin/python3", "#!");
  EXPECT_EQ(placement_.place_python({home_ / "venv", ""}, task_).value(), home_ / "venv/bin");
  const std::string own = home_ / "venv/bin/python3";
  EXPECT_EQ(placement_.place_python({"", own}, task_).value(), home_ / "venv/bin");
  EXPECT_THAT(placement_.place_python({"", own + ".9"}, task_).error().message,
              HasSubstr("this host has no " + own + ".9"));
  EXPECT_EQ(placement_.place_python({"", ""}, task_).value(), "");
  EXPECT_THAT(placement_.place_python({home_ / "venv", "bin/pypy"}, task_).error().message,
              HasSubstr("lacks bin/pypy"));
}

TEST_F(Placing, UnpacksAPythonEnvironmentOnce) {
  write(home_ / "bin/python3", "#!");
  const std::string tar =
      "tar -C " + home_.string() + " -cf " + (home_ / "venv.tar").string() + " bin";
  ASSERT_EQ(::system(tar.c_str()), 0);
  EXPECT_EQ(placement_.place_python({home_ / "venv.tar", ""}, task_).value(), task_ / "venv/bin");
  fs::remove(home_ / "venv.tar");
  write(home_ / "venv.tar", "changed");
  EXPECT_TRUE(placement_.place_python({home_ / "venv.tar", ""}, task_).has_value());
}

TEST(PreparationFailure, TellsWhoseMoveItIs) {
  EXPECT_EQ(preparation_failure(system_error(ENOSPC, "x")).class_name, "disk.full");
  EXPECT_EQ(preparation_failure(system_error(ENOENT, "x")).kind, job::FailureKind::User);
  EXPECT_EQ(preparation_failure(Error{Errc::AlreadyExists, Blame::Cluster, "port"}).remedy,
            job::Remedy::NewPorts);
}

}  // namespace
}  // namespace muster::agent
