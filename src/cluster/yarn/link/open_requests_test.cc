#include "cluster/yarn/link/open_requests.h"

#include "testing/hadoop/asked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <variant>
#include <vector>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
using ::testing::ElementsAre;
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
  /// Returns what the next heartbeat asks for; "!" means that no narrower place in it will do.
  std::string rows() {
    requests_.put_down(now_);
    return testing::send_next(book_).rows;
  }
  /// Returns the number of the request that a grant is for; 0 if it is for none.
  uint32_t granted(int64_t allocation, const std::string& host) {
    const auto request = requests_.granted(rm::AllocationId(allocation), host, now_);
    return request.has_value() ? request->request.value : 0;
  }
  const job::RequestRefused& refused() { return std::get<job::RequestRefused>(facts_.at(0)); }

  job::Plan plan_;
  rm::AskBook book_;
  HostTime now_{};
  HostSpread hosts_{{{"n1", {.node = {}, .rack = {}, .free = {.memory_mb = 8192, .vcores = 8}}},
                     {"n2", {.node = {}, .rack = {}, .free = {.memory_mb = 8192, .vcores = 8}}}}};
  std::vector<job::Fact> facts_;
  OpenRequests requests_{
      {plan_, book_, hosts_, [this](job::Fact fact) { facts_.push_back(std::move(fact)); },
       std::chrono::seconds(1)},
      {}};
};

TEST_F(OpenRequestsTest, WhatIsAskedBeforeTheRegistrationGoesOutAfterIt) {
  requests_.ask(request(1));
  EXPECT_EQ(requests_.waits_for(), "the resource manager to answer");
  EXPECT_EQ(granted(1, "n1"), 0U);
  open();
  EXPECT_THAT(requests_.waits_for(), HasSubstr("a container of 1024 MB, 1 vcores"));
  EXPECT_THAT(requests_.waits_for(), HasSubstr("from queue ml"));
  requests_.put_down(now_);
  EXPECT_EQ(requests_.granted(rm::AllocationId(1), "n1", now_), request(1));
  EXPECT_EQ(requests_.waits_for(), "");
}

TEST_F(OpenRequestsTest, WhatIsAlikeIsOneAskOverAllHosts) {
  open();
  for (const int64_t id : {1, 2, 3}) {
    requests_.ask(request(id));
  }
  requests_.ask(request(4, 2048));
  requests_.ask(request(2));
  EXPECT_EQ(rows(), "1:n1=2 1:n2=1 1:/default-rack=3! 1:*=3! 4:*=1 ");
  EXPECT_EQ(rows(), "");
  requests_.ask(request(3));
  EXPECT_EQ(rows(), "") << "it is asked for already";
  requests_.ask(request(5));
  EXPECT_EQ(rows(), "5:*=1 ") << "an ask that is out is not added to";
}

TEST_F(OpenRequestsTest, WhatHostsDoNotGiveInTimeMayComeFromAnywhere) {
  open();
  for (const int64_t id : {1, 2, 3, 4}) {
    requests_.ask(request(id));
  }
  EXPECT_EQ(rows(), "1:n1=2 1:n2=2 1:/default-rack=4! 1:*=4! ");
  now_ += std::chrono::milliseconds(900);
  EXPECT_EQ(granted(1, "n2"), 2U);
  now_ += std::chrono::milliseconds(900);
  EXPECT_EQ(rows(), "");
  now_ += std::chrono::milliseconds(100);
  EXPECT_EQ(rows(), "1:n1=0 1:n2=0 1:/default-rack=0 1:*=3 ");
  EXPECT_EQ(granted(1, "n2"), 1U);
  now_ += std::chrono::minutes(1);
  EXPECT_EQ(rows(), "");
}

TEST_F(OpenRequestsTest, WhatHostsHaveNoRoomForIsAskedOfAnyAtOnce) {
  open();
  for (int64_t id = 1; id <= 6; ++id) {
    requests_.ask(request(id, 4096));
  }
  EXPECT_EQ(rows(), "1:n1=2 1:n2=2 1:/default-rack=4! 1:*=4! 5:*=2 ");
  EXPECT_EQ(granted(5, "n1"), 5U);
  EXPECT_EQ(granted(1, "n1"), 1U);
}

TEST_F(OpenRequestsTest, CoresLimitAHostOnlyWhereTheSchedulerCountsThem) {
  const auto rows_where = [this](bool counts_vcores, int64_t first) {
    requests_.registered({.largest = {.memory_mb = 4096, .vcores = 8},
                          .queue = "ml",
                          .counts_vcores = counts_vcores,
                          .kept = {},
                          .node_tokens = {}});
    for (int64_t id = first; id < first + 3; ++id) {
      job::RequestContainer wide = request(id);
      wide.resources.vcores = 8;
      requests_.ask(wide);
    }
    std::string said = rows();
    for (int64_t id = first; id < first + 3; ++id) {
      requests_.cancel(request(id).request);
    }
    (void)rows();
    return said;
  };
  EXPECT_EQ(rows_where(true, 1), "1:n1=1 1:n2=1 1:/default-rack=2! 1:*=2! 3:*=1 ");
  EXPECT_EQ(rows_where(false, 4), "4:n1=2 4:n2=1 4:/default-rack=3! 4:*=3! ");
}

TEST_F(OpenRequestsTest, AGrantIsForTheRequestThatWasWishedThere) {
  open();
  for (const int64_t id : {1, 2, 3}) {
    requests_.ask(request(id));
  }
  (void)rows();
  EXPECT_EQ(granted(1, "n2"), 2U);
  EXPECT_EQ(granted(1, "n9"), 1U) << "nobody's host: the one that has waited longest";
  EXPECT_EQ(granted(1, "n1"), 3U);
  EXPECT_EQ(granted(1, "n1"), 0U);
}

TEST_F(OpenRequestsTest, WhatFitsNowhereNowIsAskedForAnywhere) {
  hosts_.set_usable("n1", false);
  hosts_.set_usable("n2", false);
  open();
  requests_.ask(request(1));
  requests_.ask(request(2));
  EXPECT_EQ(rows(), "1:*=2 ");
  EXPECT_EQ(granted(1, "n1"), 1U);
}

TEST_F(OpenRequestsTest, APreferenceOfTheJobIsAnAskOfItsOwn) {
  open();
  requests_.ask(request(1));
  job::RequestContainer back = request(2);
  back.prefer = {job::HostName("n2")};
  requests_.ask(back);
  EXPECT_EQ(rows(), "1:*=1 2:n2=1 2:/default-rack=1 2:*=1 ");
  EXPECT_EQ(granted(2, "n1"), 2U);
}

TEST_F(OpenRequestsTest, WhereTheLabelIsNobodyWishesAHost) {
  open();
  job::RequestContainer labelled = request(1);
  labelled.node_label = "gpu";
  requests_.ask(labelled);
  EXPECT_EQ(rows(), "1:*=1 ");
}

TEST_F(OpenRequestsTest, TheNewestRequestSaysWhichHostsAreAvoided) {
  open();
  job::RequestContainer first = request(1);
  first.avoid = {job::HostName("n1")};
  job::RequestContainer second = request(2);
  second.avoid = {job::HostName("n2")};
  requests_.ask(first);
  requests_.ask(second);
  requests_.put_down(now_);
  const testing::Asked asked = testing::send_next(book_);
  EXPECT_THAT(asked.avoided, ElementsAre("n2"));
  EXPECT_EQ(asked.rows, "1:n1=2 1:/default-rack=2! 1:*=2! ") << "n1 is the only one left";
}

TEST_F(OpenRequestsTest, WhatIsCancelledComesOffItsAsk) {
  open();
  for (const int64_t id : {1, 2, 3}) {
    requests_.ask(request(id));
  }
  (void)rows();
  requests_.cancel(request(1).request);
  EXPECT_EQ(rows(), "1:n1=1 1:n2=1 1:/default-rack=2! 1:*=2! ");
  requests_.cancel(request(2).request);
  requests_.cancel(request(3).request);
  EXPECT_EQ(granted(1, "n1"), 0U);
  EXPECT_EQ(rows(), "1:n1=0 1:n2=0 1:/default-rack=0! 1:*=0! ");
}

TEST_F(OpenRequestsTest, WhatIsCancelledIsGrantedNoMore) {
  requests_.ask(request(1));
  requests_.cancel(request(1).request);
  open();
  requests_.ask(request(2));
  requests_.cancel(request(2).request);
  requests_.put_down(now_);
  EXPECT_FALSE(requests_.granted(rm::AllocationId(1), "n1", now_).has_value());
  EXPECT_FALSE(requests_.granted(rm::AllocationId(2), "n1", now_).has_value());
}

TEST_F(OpenRequestsTest, WhatIsLargerThanTheLargestIsRefusedAtOnce) {
  open();
  requests_.ask(request(1, 8192));
  EXPECT_EQ(refused().kind, job::RefusalKind::NeverFits);
  EXPECT_THAT(refused().reason, HasSubstr("worker: a container of 8192 MB"));
  EXPECT_FALSE(requests_.granted(rm::AllocationId(1), "n1", now_).has_value());
}

TEST_F(OpenRequestsTest, ARejectionNamesTheConstraint) {
  open();
  requests_.ask(request(1));
  requests_.put_down(now_);
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
  requests_.put_down(now_);
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
