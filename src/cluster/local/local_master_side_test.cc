#include "cluster/local/local_master_side.h"

#include "cluster/local/ready_line.h"
#include "rt/fd.h"
#include "testing/memory_files.h"
#include "testing/recording_sink.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <unistd.h>
#include <vector>

namespace muster::cluster::local {
namespace {

class LocalMasterSideTest : public ::testing::Test {
 protected:
  LocalMasterSideTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    told_.reset(ends[0]);
    side_.emplace(LocalMasterSide::Options{
        .folder = JobFolder("/jobs/digits-1"),
        .program = "/bin/muster",
        .find = [](std::string_view name) -> std::optional<std::string> {
          return name == "TOKEN" ? std::optional<std::string>("s3cret") : std::nullopt;
        },
        .ready_fd = ends[1],
        .lock_fd = -1});
  }

  Result<MasterPost> open() {
    return side_->open(
        {.loop = loop_, .files = files_, .log = sink_, .plan = plan_, .quit = [this](int status) {
           quits_.push_back(status);
         }});
  }
  std::string told() const {
    std::array<char, 256> buffer{};
    const ssize_t got = ::read(told_.get(), buffer.data(), buffer.size());
    return {buffer.data(), static_cast<size_t>(got)};
  }

  rt::IoLoop loop_;
  testing::MemoryTree tree_;
  testing::MemoryFiles files_{tree_};
  testing::RecordingSink sink_;
  job::Plan plan_;
  rt::Fd told_;
  std::vector<int> quits_;
  std::optional<LocalMasterSide> side_;
};

TEST_F(LocalMasterSideTest, TakesSecretsFromItsEnvironmentAndFiles) {
  ASSERT_TRUE(files_.make_folders("/home", 0700));
  ASSERT_TRUE(files_.write("/home/key", "abc\n\n", {}));
  plan_.spec.env["A"] = {.source = spec::EnvValue::Source::FromEnv, .text = "TOKEN"};
  plan_.spec.roles.resize(1);
  plan_.spec.roles[0].name = "worker";
  plan_.spec.roles[0].env["B"] = {.source = spec::EnvValue::Source::FromFile, .text = "/home/key"};
  const Result<MasterPost> post = open();
  ASSERT_TRUE(post) << post.error().message;
  EXPECT_EQ(post->secrets, (std::map<std::string, std::string>{{"env.A", "s3cret"},
                                                               {"roles.worker.env.B", "abc"}}));
  EXPECT_EQ(post->logs_folder, "/jobs/digits-1/logs");
  EXPECT_EQ(post->access, nullptr);
}

TEST_F(LocalMasterSideTest, RefusesAJobWhoseSecretFileIsGone) {
  plan_.spec.env["B"] = {.source = spec::EnvValue::Source::FromFile, .text = "/home/gone"};
  EXPECT_EQ(open().error().code, Errc::NotFound);
}

TEST_F(LocalMasterSideTest, TellsWhoStartedItHowItWent) {
  side_->report(std::string("127.0.0.1:4711"));
  EXPECT_EQ(parse_ready_line(told()).value(), "127.0.0.1:4711");
}

TEST_F(LocalMasterSideTest, TellsWhoStartedItWhyThereIsNoMaster) {
  const Error error{Errc::OutOfSpace, Blame::User, "no room for the event log"};
  side_->report(error);
  EXPECT_EQ(parse_ready_line(told()).error(), error);
}

TEST_F(LocalMasterSideTest, EndsWithItsMasterAndStopsTheJobWhenAskedTo) {
  ASSERT_TRUE(open());
  EXPECT_TRUE(side_->signalled(SIGTERM));
  EXPECT_TRUE(side_->signalled(SIGINT));
  EXPECT_FALSE(side_->signalled(SIGHUP));  // Closing a terminal ends no job.
  EXPECT_TRUE(quits_.empty());
  side_->ended(false);
  EXPECT_EQ(quits_, std::vector<int>{0});
}

}  // namespace
}  // namespace muster::cluster::local
