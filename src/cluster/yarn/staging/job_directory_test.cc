#include "cluster/yarn/staging/job_directory.h"

#include "cluster/yarn/output/aggregated_log.h"
#include "cluster/yarn/staging/staging.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

TEST(JobDirectory, KnowsItsJobsByTheirTag) {
  rm::ApplicationReport report;
  report.id = {.cluster_timestamp = 1'700'000'000'000, .number = 7};
  report.tags = {"muster", "team-a"};
  EXPECT_FALSE(job_of(report).has_value());
  report.tags.emplace_back("muster:digits-7f3k2q");
  report.state = rm::ApplicationState::Accepted;
  report.queue = "root.ml";
  report.submitted_ms = 5;
  const auto job = job_of(report);
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->id, "digits-7f3k2q");
  EXPECT_EQ(job->application_id, "application_1700000000000_0007");
  EXPECT_EQ(job->submitted, WallTime(std::chrono::milliseconds(5)));
  EXPECT_FALSE(job->over);
  report.state = rm::ApplicationState::Killed;
  EXPECT_TRUE(job_of(report)->over);
}

TEST(JobDirectory, FoldersAreByTheDayInUtc) {
  const WallTime last_second{std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} +
                             std::chrono::hours(24) - std::chrono::seconds(1)};
  EXPECT_EQ(folder_of_day("/user/alice/.muster", last_second),
            "/user/alice/.muster/jobs/2026/11/21");
  EXPECT_EQ(folder_of_day("/user/alice/.muster", last_second + std::chrono::seconds(1)),
            "/user/alice/.muster/jobs/2026/11/22");
}

TEST(AggregatedLog, IsLookedForWhereEachVersionPutsIt) {
  const hadoop::Configuration configuration;
  const auto folders = aggregated_log_folders(
      configuration, "alice", {.cluster_timestamp = 1'700'000'000'000, .number = 10'003});
  EXPECT_EQ(folders, (std::vector<std::string>{
                         "/tmp/logs/alice/bucket-logs-tfile/0003/application_1700000000000_10003",
                         "/tmp/logs/alice/logs-tfile/application_1700000000000_10003",
                         "/tmp/logs/alice/logs/application_1700000000000_10003"}));
}

}  // namespace
}  // namespace muster::cluster::yarn
