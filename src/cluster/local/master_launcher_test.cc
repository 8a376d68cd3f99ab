#include "cluster/local/master_launcher.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>

namespace muster::cluster::local {
namespace {

TEST(MasterLauncher, EndsAMasterThatIsNotReadyInTime) {
  char name[] = "/tmp/master-launcher-XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(name);
  const auto files = os::make_local_files(nullptr);
  const std::filesystem::path program = folder / "slow";
  ASSERT_TRUE(files->write(program, "#!/bin/sh\nexec sleep 1000\n", {.mode = 0700}));
  MasterLauncher launcher(*files, {.program = program,
                                   .environment = {{"PATH", "/usr/bin:/bin"}},
                                   .start_deadline = std::chrono::milliseconds(100)});
  const Result<std::string> started = launcher.start(
      {.plan = nullptr, .job_folder = folder, .working_folder = {}, .followed = false}, {});
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, Errc::DeadlineExceeded);
  int status = 0;
  ASSERT_GT(::waitpid(-1, &status, 0), 0) << "it is the only child";
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster::cluster::local
