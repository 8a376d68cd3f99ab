#include "cluster/yarn/team/team_catalog.h"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TeamCatalogTest : public ::testing::Test {
 protected:
  static rm::ApplicationReport report(int number, std::string user, const std::string& job,
                                      rm::ApplicationState state) {
    rm::ApplicationReport report;
    report.id = {.cluster_timestamp = 1, .number = number};
    report.tags = {"muster", "muster:" + job};
    report.queue = "gpu";
    report.state = state;
    report.submitted_ms = 1000 * number;
    report.user = std::move(user);
    return report;
  }
  std::vector<std::string> listed() {
    std::vector<std::string> all;
    for (const TeamJob* job : catalog.sorted(WallTime(std::chrono::seconds(60)))) {
      all.push_back(job->key() + " " + job->state);
    }
    return all;
  }
  std::vector<std::string> take_all() {
    std::vector<std::string> keys;
    for (std::string key = catalog.take_wanted(); !key.empty(); key = catalog.take_wanted()) {
      keys.push_back(key);
    }
    return keys;
  }
  static eventlog::Summary succeeded() {
    eventlog::Summary summary;
    summary.result = "succeeded";
    summary.duration_ms = 4000;
    return summary;
  }

  TeamCatalog catalog{"prod", [](std::string_view id) { return "http://rm/" + std::string(id); }};
};

TEST_F(TeamCatalogTest, AJobIsListedFromItsSubmissionOn) {
  catalog.see_live({report(1, "alice", "a-1", rm::ApplicationState::Accepted),
                    report(2, "bob", "b-2", rm::ApplicationState::Running)});
  EXPECT_THAT(listed(), ElementsAre("bob:b-2 running", "alice:a-1 queued"));
  EXPECT_EQ(catalog.find("bob:b-2")->job.page, "http://rm/application_1_0002");
  EXPECT_EQ(catalog.find("bob:b-2")->job.duration, std::chrono::seconds(58));
  EXPECT_THAT(take_all(), ElementsAre("bob:b-2", "alice:a-1")) << "newest first";
}

TEST_F(TeamCatalogTest, OneThatIsNoLongerListedIsReadAgain) {
  catalog.see_live({report(1, "alice", "a-1", rm::ApplicationState::Running)});
  (void)take_all();
  catalog.see_live({});
  EXPECT_THAT(take_all(), ElementsAre("alice:a-1"));
  catalog.set_summary("alice:a-1", succeeded());
  EXPECT_THAT(listed(), ElementsAre("alice:a-1 succeeded"));
  EXPECT_EQ(catalog.find("alice:a-1")->job.page, "");
  catalog.see_live({report(1, "alice", "a-1", rm::ApplicationState::Running)});
  EXPECT_THAT(listed(), ElementsAre("alice:a-1 succeeded")) << "an old answer";
}

TEST_F(TeamCatalogTest, WhatTheClusterKilledEndsWithoutASummary) {
  rm::ApplicationReport killed = report(1, "alice", "a-1", rm::ApplicationState::Killed);
  killed.diagnostics = "the queue was emptied";
  killed.finished_ms = 5000;
  catalog.see_ended(killed);
  EXPECT_THAT(take_all(), ElementsAre("alice:a-1")) << "there may be a summary";
  catalog.see_ended(killed);
  EXPECT_THAT(take_all(), IsEmpty()) << "it is told again and again";
  ASSERT_TRUE(catalog.find("alice:a-1")->job.ended);
  EXPECT_EQ(catalog.find("alice:a-1")->job.duration, std::chrono::seconds(4));
}

TEST_F(TeamCatalogTest, WhoHasManyJobsHoldsUpNobody) {
  std::vector<TeamCatalog::Place> places;
  for (int i = 0; i < 5; ++i) {
    places.push_back({"eve", "e-" + std::to_string(i), WallTime(std::chrono::seconds(100 + i))});
  }
  places.push_back({"alice", "a-1", WallTime(std::chrono::seconds(1))});
  places.push_back({"bob", "b-1", WallTime(std::chrono::seconds(2))});
  places.push_back({"bob", "b-2", WallTime(std::chrono::seconds(3))});
  catalog.see_day("/r/jobs/2026/11/21", places);
  EXPECT_EQ(catalog.wanted(), 8U);
  EXPECT_THAT(take_all(), ElementsAre("eve:e-4", "bob:b-2", "alice:a-1", "eve:e-3", "bob:b-1",
                                      "eve:e-2", "eve:e-1", "eve:e-0"));
  EXPECT_EQ(catalog.wanted(), 0U);
}

TEST_F(TeamCatalogTest, FoldersComeAndGo) {
  catalog.see_day("/r/jobs/2026/11/21", {{"alice", "a-1", WallTime(std::chrono::seconds(1))},
                                         {"alice", "..", {}},
                                         {"bob", "b-2", WallTime(std::chrono::seconds(2))}});
  EXPECT_THAT(listed(), IsEmpty()) << "only their folders are known";
  EXPECT_THAT(take_all(), ElementsAre("bob:b-2", "alice:a-1"));
  catalog.set_summary("alice:a-1", succeeded());
  catalog.set_lost("bob:b-2");
  EXPECT_THAT(listed(), ElementsAre("bob:b-2 lost", "alice:a-1 succeeded"));
  catalog.see_day("/r/jobs/2026/11/21", {{"bob", "b-2", {}}});
  EXPECT_THAT(listed(), ElementsAre("bob:b-2 lost"));
  EXPECT_EQ(catalog.find("alice:a-1"), nullptr);
}

TEST_F(TeamCatalogTest, HostsAreWantedOfWhatRunsInTurn) {
  const HostTime begun{std::chrono::hours(1)};
  catalog.see_live({report(1, "alice", "a-1", rm::ApplicationState::Running),
                    report(2, "bob", "b-2", rm::ApplicationState::Running),
                    report(3, "bob", "b-3", rm::ApplicationState::Accepted),
                    report(4, "bob", "b-4", rm::ApplicationState::Running)});
  for (const char* key : {"alice:a-1", "bob:b-2", "bob:b-3"}) {
    catalog.set_folder(key, std::string("/r/") + key);
    catalog.set_plan(key, {}, "");
  }
  EXPECT_EQ(catalog.take_hosts_wanted(begun), "alice:a-1");
  EXPECT_EQ(catalog.take_hosts_wanted(begun + std::chrono::seconds(1)), "bob:b-2");
  EXPECT_EQ(catalog.take_hosts_wanted(begun + std::chrono::seconds(2)), "")
      << "the third is queued, nobody has found the folder of the fourth";
  EXPECT_EQ(catalog.take_hosts_wanted(begun + TeamCatalog::kHostsFresh), "alice:a-1");
}

TEST_F(TeamCatalogTest, TheHostsOfWhatHasEndedAreThoseOfItsSummary) {
  catalog.see_live({report(1, "alice", "a-1", rm::ApplicationState::Running)});
  catalog.set_hosts("alice:a-1", {{"node1", 1, 0}});
  EXPECT_THAT(catalog.find("alice:a-1")->job.hosts,
              ElementsAre(eventlog::HostShare{"node1", 1, 0}));
  eventlog::Summary summary = succeeded();
  summary.hosts = {{"node1", 2, 1}, {"node2", 1, 0}};
  catalog.set_summary("alice:a-1", summary);
  catalog.set_hosts("alice:a-1", {{"node1", 1, 0}});  // Read before the job ended.
  EXPECT_EQ(catalog.find("alice:a-1")->job.hosts, summary.hosts);
}

TEST_F(TeamCatalogTest, NobodyTakesAnothersName) {
  catalog.see_live({report(1, "alice", "a-1", rm::ApplicationState::Running),
                    report(2, "eve", "a-1", rm::ApplicationState::Running)});
  EXPECT_THAT(listed(), ElementsAre("eve:a-1 running", "alice:a-1 running"));
  catalog.see_live({report(3, "eve", "../x", rm::ApplicationState::Running)});
  EXPECT_EQ(catalog.find("eve:../x"), nullptr);
}

}  // namespace
}  // namespace muster::cluster::yarn
