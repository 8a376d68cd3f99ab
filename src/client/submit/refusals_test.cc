#include "client/submit/refusals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

namespace muster::client {
namespace {

/// A job of one ps and two workers, each in its own container; requests count from 1.
class StandingRefusals : public ::testing::Test {
 protected:
  StandingRefusals() {
    plan_.job = job::JobId("test-1");
    plan_.roles.push_back({.name = "ps", .tasks = 1, .tasks_min = 1});
    plan_.roles.push_back({.name = "worker", .tasks = 2, .tasks_min = 2});
    tell(job::JobStarted{});
  }

  void tell(job::Fact fact) {
    eventlog::Record record;
    record.at = Time{} + std::chrono::seconds(records_.size());
    record.fact = std::move(fact);
    records_.push_back(std::move(record));
  }
  void refuse(uint32_t request, std::string why) {
    tell(job::RequestRefused{job::RequestId(request), job::RefusalKind::Transient, std::move(why)});
  }
  void grant(uint32_t request) {
    tell(
        job::ContainerGranted{job::RequestId(request), job::ContainerId("c"), job::HostName("h1")});
  }
  [[nodiscard]] std::vector<std::string> standing() const {
    return standing_refusals(plan_, records_);
  }

  job::Plan plan_;
  std::vector<eventlog::Record> records_;
};

TEST_F(StandingRefusals, AreTheLastOfEachRoleInTheWordsOfTheStory) {
  EXPECT_TRUE(standing().empty());
  refuse(2, "no room");
  refuse(3, "could not place on node (`notin,node,worker`)");
  refuse(1, "later");
  EXPECT_EQ(standing(),
            (std::vector<std::string>{
                "the cluster refused a request: later",
                "the cluster refused a request: could not place on node (`notin,node,worker`)"}));
}

TEST_F(StandingRefusals, AreOverWithAGrant) {
  refuse(2, "no room");
  refuse(1, "later");
  grant(3);
  EXPECT_EQ(standing(), std::vector<std::string>{"the cluster refused a request: later"});
}

TEST_F(StandingRefusals, OfARequestThatNobodyMadeAreNone) {
  refuse(99, "no room");
  EXPECT_TRUE(standing().empty());
}

}  // namespace
}  // namespace muster::client
