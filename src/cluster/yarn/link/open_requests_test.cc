#include "cluster/yarn/link/open_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>
#include <vector>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
using ::testing::HasSubstr;

class OpenRequestsTest : public ::testing::Test {
 protected:
  OpenRequestsTest() {
    job::RolePlan worker;
    worker.name = "worker";
    plan_.roles.push_back(worker);
    spec::Role role;
    role.name = "worker";
    role.constraint = "notin,node,worker";
    plan_.spec.roles.push_back(role);
  }

  void open() {
    requests_.registered({.largest = {.memory_mb = 4096, .vcores = 4},
                          .queue = "ml",
                          .kept = {},
                          .node_tokens = {}});
  }
  static job::RequestContainer request(int64_t id, uint64_t memory_mb = 1024) {
    job::RequestContainer request;
    request.request.value = static_cast<decltype(request.request.value)>(id);
    request.role.value = 0;
    request.resources = {.memory_bytes = memory_mb << 20U, .vcores = 1, .gpus = 0};
    return request;
  }
  const job::RequestRefused& refused() { return std::get<job::RequestRefused>(facts_.at(0)); }

  job::Plan plan_;
  rm::AskBook book_;
  std::vector<job::Fact> facts_;
  OpenRequests requests_{
      {plan_, book_, [this](job::Fact fact) { facts_.push_back(std::move(fact)); }}, {}};
};

TEST_F(OpenRequestsTest, WhatIsAskedBeforeTheRegistrationGoesOutAfterIt) {
  requests_.ask(request(1));
  EXPECT_EQ(requests_.waits_for(), "the resource manager to answer");
  EXPECT_FALSE(requests_.granted(rm::AllocationId(1)).has_value());
  open();
  EXPECT_THAT(requests_.waits_for(), HasSubstr("a container of 1024 MB, 1 vcores"));
  EXPECT_THAT(requests_.waits_for(), HasSubstr("from queue ml"));
  EXPECT_EQ(requests_.granted(rm::AllocationId(1)), request(1));
  EXPECT_EQ(requests_.waits_for(), "");
}

TEST_F(OpenRequestsTest, KnowsTheRackOfAPreferredHost) {
  requests_.learn_rack("n2", "/r2");
  requests_.learn_rack("n2", "");
  const auto places = requests_.places_of({job::HostName("n1"), job::HostName("n2")});
  EXPECT_THAT(places, ::testing::ElementsAre(rm::HostAndRack{.host = "n1", .rack = "/default-rack"},
                                             rm::HostAndRack{.host = "n2", .rack = "/r2"}));
}

TEST_F(OpenRequestsTest, WhatIsCancelledIsGrantedNoMore) {
  requests_.ask(request(1));
  requests_.cancel(request(1).request);
  open();
  requests_.ask(request(2));
  requests_.cancel(request(2).request);
  EXPECT_FALSE(requests_.granted(rm::AllocationId(1)).has_value());
  EXPECT_FALSE(requests_.granted(rm::AllocationId(2)).has_value());
}

TEST_F(OpenRequestsTest, WhatIsLargerThanTheLargestIsRefusedAtOnce) {
  open();
  requests_.ask(request(1, 8192));
  EXPECT_EQ(refused().kind, job::RefusalKind::NeverFits);
  EXPECT_THAT(refused().reason, HasSubstr("worker: a container of 8192 MB"));
  EXPECT_FALSE(requests_.granted(rm::AllocationId(1)).has_value());
}

TEST_F(OpenRequestsTest, ARejectionNamesTheConstraint) {
  open();
  requests_.ask(request(1));
  requests_.rejected(
      {.allocation = rm::AllocationId(1), .reason = rm::RejectionReason::CouldNotPlace});
  EXPECT_EQ(refused().kind, job::RefusalKind::Transient);
  EXPECT_EQ(refused().reason, "could not place on node (`notin,node,worker`)");
  requests_.rejected(
      {.allocation = rm::AllocationId(1), .reason = rm::RejectionReason::CouldNotPlace});
  EXPECT_EQ(facts_.size(), 1U);
}

TEST_F(OpenRequestsTest, ARefusedCallRefusesAllThatIsOpen) {
  open();
  requests_.ask(request(1));
  requests_.ask(request(2));
  requests_.refused(user_error("no such label", Errc::NeverFits));
  ASSERT_EQ(facts_.size(), 2U);
  EXPECT_EQ(refused().reason, "no such label");
  EXPECT_EQ(requests_.waits_for(), "");
}

TEST_F(OpenRequestsTest, HeadroomIsToldWhenItChanges) {
  open();
  rm::Heartbeat heartbeat;
  requests_.take_headroom(heartbeat);
  EXPECT_TRUE(facts_.empty());
  heartbeat.headroom = rm::Resource{.memory_mb = 512, .vcores = 2};
  heartbeat.cluster_nodes = 3;
  requests_.take_headroom(heartbeat);
  requests_.take_headroom(heartbeat);
  ASSERT_EQ(facts_.size(), 1U);
  EXPECT_EQ(std::get<job::HeadroomReported>(facts_[0]).memory_bytes, 512ULL << 20U);
}

}  // namespace
}  // namespace muster::cluster::yarn
