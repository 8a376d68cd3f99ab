#include "client/portal/team_list.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

using cluster::TeamJob;

TeamJob job_of(std::string owner, std::string name, std::string queue,
               std::vector<std::string> viewers = {}) {
  TeamJob job;
  job.id = name + "-000000";
  job.owner = std::move(owner);
  job.name = std::move(name);
  job.queue = std::move(queue);
  job.state = "failed";
  job.class_name = "user.exit";
  job.duration = std::chrono::seconds(1);
  job.viewers = std::move(viewers);
  return job;
}

class TeamListTest : public ::testing::Test {
 protected:
  boost::json::object list(const std::string& viewer, const TeamFilter& filter = {}) const {
    const std::vector<const TeamJob*> all = {&digits, &shared, &secret};
    return boost::json::parse(team_list_json(all, viewer, {"root"}, filter)).as_object();
  }
  static std::string names(const boost::json::object& list) {
    std::string names;
    for (const boost::json::value& job : list.at("jobs").as_array()) {
      names += std::string(job.at("key").as_string()) + " ";
    }
    return names;
  }

  const TeamJob digits = job_of("alice", "digits", "gpu");
  const TeamJob shared = job_of("alice", "shared", "cpu", {"bob", "group:staff"});
  const TeamJob secret = job_of("bob", "secret", "nsa");
};

TEST_F(TeamListTest, AJobIsItsOwnersThoseItNamesAndAdmins) {
  EXPECT_EQ(names(list("alice")), "alice:digits-000000 alice:shared-000000 ");
  EXPECT_EQ(names(list("bob")), "alice:shared-000000 bob:secret-000000 ");
  EXPECT_EQ(names(list("root")), "alice:digits-000000 alice:shared-000000 bob:secret-000000 ");
  EXPECT_EQ(names(list("eve")), "");
  EXPECT_EQ(names(list("staff")), "") << "a group is nobody";
  EXPECT_EQ(names(list("")), "");
  EXPECT_TRUE(may_see("eve", {}, job_of("bob", "open", "", {"*"})));
  EXPECT_FALSE(may_see("", {}, job_of("", "open", "", {"*"}))) << "nobody is nobody";
}

TEST_F(TeamListTest, NothingOfOtherJobsShows) {
  const boost::json::object seen = list("alice");
  EXPECT_EQ(seen.at("total"), 2);
  EXPECT_EQ(boost::json::serialize(seen.at("users")), R"(["alice"])");
  EXPECT_EQ(boost::json::serialize(seen.at("queues")), R"(["cpu","gpu"])");
}

TEST_F(TeamListTest, SumsAreOfAllThatIsWantedAndOfNothingElse) {
  const auto sums = [](const boost::json::object& list) {
    return boost::json::serialize(list.at("sums"));
  };
  EXPECT_EQ(sums(list("root", {.limit = 1})),
            R"({"ran_ms":3000,"states":{"failed":3},"classes":{"user.exit":3},"attempts":0,)"
            R"("attempts_failed":0})");
  EXPECT_EQ(sums(list("alice", {.queue = "gpu"})),
            R"({"ran_ms":1000,"states":{"failed":1},"classes":{"user.exit":1},"attempts":0,)"
            R"("attempts_failed":0})");
  EXPECT_EQ(sums(list("eve")),
            R"({"ran_ms":0,"states":{},"classes":{},"attempts":0,"attempts_failed":0})");
}

TEST_F(TeamListTest, SaysWhatIsToBeKnown) {
  EXPECT_TRUE(list("alice").at("notice").is_null());
  const std::string told = team_list_json({}, "alice", {}, {}, "HDFS has not answered");
  EXPECT_EQ(boost::json::parse(told).at("notice"), "HDFS has not answered");
}

TEST_F(TeamListTest, IsNarrowedAndPaged) {
  EXPECT_EQ(names(list("root", {.queue = "nsa"})), "bob:secret-000000 ");
  EXPECT_EQ(names(list("root", {.name = "DIG"})), "alice:digits-000000 ");
  EXPECT_EQ(names(list("root", {.to = WallTime{}})), "") << "none was submitted before 1970";
  const boost::json::object second = list("root", {.offset = 1, .limit = 1});
  EXPECT_EQ(names(second), "alice:shared-000000 ");
  EXPECT_EQ(second.at("total"), 3);
  EXPECT_EQ(names(list("root", {.offset = UINT64_MAX})), "");
}

TEST_F(TeamListTest, AHostHasTheJobsThatRanThere) {
  TeamJob wide = job_of("alice", "wide", "gpu");
  wide.hosts = {{"h1", 2, 1}, {"h2", 3, 0}, {"h3", 1, 0}, {"h4", 1, 1}};
  TeamJob narrow = job_of("bob", "narrow", "gpu");
  narrow.hosts = {{"h1", 1, 1}};
  const auto on = [&](const std::string& viewer, std::string host) {
    return boost::json::parse(team_list_json({&wide, &narrow, &digits}, viewer, {"root"},
                                             {.host = std::move(host)}))
        .as_object();
  };
  const boost::json::object seen = on("root", "h1");
  EXPECT_EQ(names(seen), "alice:wide-000000 bob:narrow-000000 ");
  EXPECT_EQ(seen.at("sums").at("attempts"), 3);
  EXPECT_EQ(seen.at("sums").at("attempts_failed"), 2);
  const boost::json::value& first = seen.at("jobs").at(0);
  EXPECT_EQ(boost::json::serialize(first.at("here")), R"({"attempts":2,"failed":1})");
  EXPECT_EQ(boost::json::serialize(first.at("hosts")), R"(["h1","h2","h3"])");
  EXPECT_EQ(first.at("host_count"), 4);
  EXPECT_EQ(names(on("alice", "h1")), "alice:wide-000000 ");
  EXPECT_EQ(names(on("root", "h")), "") << "a part of a name is another host";
}

TEST_F(TeamListTest, CountsForPrometheusAreOfWhatTheViewerMaySee) {
  TeamJob odd = job_of("alice", "odd", "a\"b\\c\n<b>");
  odd.class_name.clear();
  const std::string text = team_metrics_text({&digits, &odd, &secret}, "alice", {"root"});
  EXPECT_NE(text.find(R"(muster_portal_jobs{user="alice",queue="gpu",state="failed"} 1)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"(muster_portal_failures{user="alice",class="user.exit"} 1)"),
            std::string::npos);
  EXPECT_NE(text.find(R"(queue="a\"b\\c)"), std::string::npos) << "quotes are escaped";
  EXPECT_EQ(text.find("bob"), std::string::npos);
  EXPECT_EQ(text.find("nsa"), std::string::npos);
}

}  // namespace
}  // namespace muster::client
