#include "os/file/line_socket.h"

#include "rt/fd.h"
#include "testing/no_descriptor_left.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace muster::os {
namespace {

class LineSocketTest : public ::testing::Test {
 protected:
  LineSocketTest() {
    char name[] = "/tmp/line-socket-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~LineSocketTest() override { std::filesystem::remove_all(root_); }

  std::unique_ptr<LineSocket> open(const Path& path, LineSocketOptions options = {}) {
    auto socket = listen_for_lines(loop_, path, options, [this](std::string_view line) {
      lines_.emplace_back(line);
      return line == "bad" ? std::string("no\n") : std::string();
    });
    EXPECT_TRUE(socket.has_value()) << socket.error().message;
    return std::move(*socket);
  }

  static rt::Fd dial(const Path& path) {
    rt::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  static void say(const rt::Fd& fd, std::string_view text) {
    EXPECT_EQ(::write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  bool run_until_lines(size_t count) {
    for (int turn = 0; turn < 2000 && lines_.size() < count; ++turn) {
      loop_.run_until(loop_.now() + std::chrono::milliseconds(5));
    }
    return lines_.size() == count;
  }

  rt::IoLoop loop_;
  Path root_;
  std::vector<std::string> lines_;
};

TEST_F(LineSocketTest, TakesLinesOfSeveralWriters) {
  const auto socket = open(root_ / "report");
  EXPECT_EQ(socket->path(), root_ / "report");
  const rt::Fd first = dial(socket->path());
  const rt::Fd second = dial(socket->path());
  say(first, "one\ntw");
  ASSERT_TRUE(run_until_lines(1));
  say(second, "other\n");
  ASSERT_TRUE(run_until_lines(2));
  say(first, "o\n");
  ASSERT_TRUE(run_until_lines(3));
  EXPECT_EQ(lines_, (std::vector<std::string>{"one", "other", "two"}));
}

TEST_F(LineSocketTest, AnswersAndTakesALineWithoutItsEnd) {
  const auto socket = open(root_ / "report");
  rt::Fd writer = dial(socket->path());
  say(writer, "bad\nlast");
  ASSERT_TRUE(run_until_lines(1));
  char answer[8] = {};
  EXPECT_EQ(::read(writer.get(), answer, sizeof answer), 3);
  EXPECT_STREQ(answer, "no\n");
  writer.reset();
  ASSERT_TRUE(run_until_lines(2));
  EXPECT_EQ(lines_[1], "last");
}

TEST_F(LineSocketTest, DrainsWhatWasWritten) {
  const auto socket = open(root_ / "report");
  {
    const rt::Fd writer = dial(socket->path());
    say(writer, "one\ntwo");
  }
  socket->drain();
  EXPECT_EQ(lines_, (std::vector<std::string>{"one", "two"}));
}

TEST_F(LineSocketTest, CutsLongLines) {
  const auto socket = open(root_ / "report", {.line_bytes_max = 10});
  const rt::Fd writer = dial(socket->path());
  say(writer, std::string(1000, 'x') + "\nshort\n");
  ASSERT_TRUE(run_until_lines(2));
  EXPECT_EQ(lines_, (std::vector<std::string>{std::string(11, 'x'), "short"}));
}

TEST_F(LineSocketTest, ClosesWriterThatIsOneTooMany) {
  const auto socket = open(root_ / "report", {.connections_max = 1});
  const rt::Fd first = dial(socket->path());
  say(first, "one\n");
  ASSERT_TRUE(run_until_lines(1));
  const rt::Fd second = dial(socket->path());
  socket->drain();
  char byte = 0;
  EXPECT_EQ(::read(second.get(), &byte, 1), 0);
}

TEST_F(LineSocketTest, RestsWhileNoDescriptorIsLeft) {
  const auto socket = open(root_ / "report");
  const rt::Fd writer = dial(socket->path());
  say(writer, "one\n");
  std::chrono::microseconds spent{};
  {
    const testing::NoDescriptorLeft none;
    const auto before = testing::processor_time();
    loop_.run_until(loop_.now() + std::chrono::milliseconds(400));
    spent = testing::processor_time() - before;
  }
  EXPECT_LT(spent, std::chrono::milliseconds(100)) << "it spins";
  EXPECT_TRUE(run_until_lines(1)) << "who waited is served";
}

TEST_F(LineSocketTest, LiesBelowTmpWhereThePathIsTooLong) {
  const Path deep = root_ / std::string(120, 'd') / "report";
  Path path;
  {
    const auto socket = open(deep);
    path = socket->path();
    EXPECT_TRUE(path.native().starts_with("/tmp/muster-report-"));
    const rt::Fd writer = dial(path);
    say(writer, "one\n");
    EXPECT_TRUE(run_until_lines(1));
  }
  EXPECT_FALSE(std::filesystem::exists(path.parent_path()));
}

/// The folder of a socket as its creator leaves it when it is killed.
class LeftFolder {
 public:
  explicit LeftFolder(std::chrono::seconds age) {
    char name[] = "/tmp/muster-report-XXXXXX";
    folder_ = ::mkdtemp(name);
    const Path path = folder_ / "report";
    listening_ = rt::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    const timespec then{.tv_sec = ::time(nullptr) - age.count(), .tv_nsec = 0};
    const std::array<timespec, 2> times{then, then};
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  }
  ~LeftFolder() { std::filesystem::remove_all(folder_); }
  LeftFolder(const LeftFolder&) = delete;
  LeftFolder& operator=(const LeftFolder&) = delete;

  void listen() { EXPECT_EQ(::listen(listening_.get(), 1), 0); }
  void kill() { listening_ = {}; }
  [[nodiscard]] bool is_there() const { return std::filesystem::exists(folder_); }

 private:
  Path folder_;
  rt::Fd listening_;
};

TEST_F(LineSocketTest, RemovesTheFoldersOfKilledMakers) {
  LeftFolder old(std::chrono::hours(1));
  old.listen();
  old.kill();
  LeftFolder living(std::chrono::hours(1));
  living.listen();
  LeftFolder fresh(std::chrono::seconds(0));
  const auto socket = open(root_ / std::string(120, 'd') / "report");
  EXPECT_FALSE(old.is_there());
  EXPECT_TRUE(living.is_there());
  EXPECT_TRUE(fresh.is_there()) << "its maker may be about to listen";
}

}  // namespace
}  // namespace muster::os
