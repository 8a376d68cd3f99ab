#include "cluster/folder_logs.h"

#include "os/file/local_files.h"
#include "rt/io_loop.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace muster::cluster {
namespace {

using namespace std::chrono_literals;

class FolderLogsTest : public ::testing::Test {
 protected:
  FolderLogsTest() { std::filesystem::create_directories(folder); }
  ~FolderLogsTest() override { std::filesystem::remove_all(folder); }
  Result<page::LogPiece> read(page::LogWanted wanted = {}) {
    return testing::run_async(loop, logs.read(kLog, wanted)).value();
  }
  void write(const std::string& text) {
    ASSERT_TRUE(files->write(folder / "worker-1.2.stderr", text).has_value());
  }

  const page::LogName kLog{.role = "worker", .index = 1, .attempt = 2, .is_err = true};
  std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("folder_logs." + std::to_string(getpid()));
  rt::IoLoop loop;
  std::unique_ptr<os::Files> files = os::make_local_files(&loop);
  int growths = 0;
  bool stops_when_grown = false;
  FolderLogs logs{loop, *files, folder, [this] {
                    ++growths;
                    if (stops_when_grown) {
                      loop.stop();
                    }
                  }};
};

TEST_F(FolderLogsTest, ReadsFromWhereOneIs) {
  EXPECT_EQ(read().error().code, Errc::NotFound);
  write("one\ntwo\n");
  EXPECT_EQ(read()->bytes, "one\ntwo\n");
  EXPECT_EQ(read({.from = 4})->bytes, "two\n");
  EXPECT_EQ(read({.from = 8})->bytes, "");
  EXPECT_EQ(read({.from = 8})->next, 8U);
  write("new\n");  // Rotated: shorter than before.
  EXPECT_EQ(read({.from = 8})->bytes, "new\n");
}

TEST_F(FolderLogsTest, ALongLogBeginsNearItsEnd) {
  write(std::string(page::kLogPieceMax, 'a') + "end");
  const auto piece = read();
  EXPECT_EQ(piece->from, 3U);
  EXPECT_TRUE(piece->bytes.ends_with("end"));
}

TEST_F(FolderLogsTest, TellsThatItGrew) {
  write("one\n");
  (void)read();
  growths = 0;
  stops_when_grown = true;
  write("one\ntwo\n");
  loop.run_until(loop.now() + 60s);
  EXPECT_GT(growths, 0);
}

}  // namespace
}  // namespace muster::cluster
