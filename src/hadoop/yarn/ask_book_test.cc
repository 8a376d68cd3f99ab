#include "hadoop/yarn/ask_book.h"

#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_master.pb.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace muster::hadoop::yarn {
namespace {

constexpr AttemptId kAttempt{.application = {.cluster_timestamp = 1, .number = 1}, .number = 1};

ContainerId container(int64_t number) { return {.attempt = kAttempt, .number = number}; }

ContainerRequest want(int64_t allocation, int32_t count) {
  return {.allocation = AllocationId(allocation),
          .count = count,
          .each = {.memory_mb = 1024, .vcores = 1}};
}

pb::AllocateResponse answer(int32_t response_id) {
  pb::AllocateResponse response;
  response.set_response_id(response_id);
  return response;
}

// `grants` are containers by number, with the allocations that they are for.
pb::AllocateResponse granting(int32_t response_id,
                              std::initializer_list<std::pair<int64_t, int64_t>> grants) {
  auto response = answer(response_id);
  for (const auto& [number, allocation] : grants) {
    auto* const granted = response.add_allocated_containers();
    encode(container(number), granted->mutable_id());
    granted->set_allocation_request_id(allocation);
  }
  return response;
}

void add_end(int64_t number, pb::AllocateResponse& response) {
  encode(container(number), response.add_completed_container_statuses()->mutable_container_id());
}

std::vector<ContainerId> releases(const pb::AllocateRequest& ask) {
  std::vector<ContainerId> ids;
  for (const auto& id : ask.release()) {
    ids.push_back(decode(id));
  }
  return ids;
}

std::vector<std::string> avoided(const pb::AllocateRequest& ask) {
  const auto& hosts = ask.blacklist_request().blacklist_additions();
  return {hosts.begin(), hosts.end()};
}

std::vector<std::string> readmitted(const pb::AllocateRequest& ask) {
  const auto& hosts = ask.blacklist_request().blacklist_removals();
  return {hosts.begin(), hosts.end()};
}

bool is_empty(const pb::AllocateRequest& ask) {
  return ask.ask().empty() && ask.scheduling_requests().empty() && ask.release().empty() &&
         !ask.has_blacklist_request();
}

TEST(AskBook, SaysWhatOneHeartbeatSaysOnTheWire) {
  AskBook book;
  book.ask({.allocation = AllocationId(1),
            .count = 2,
            .each = {.memory_mb = 1, .vcores = 1},
            .node_label = {}});
  std::string hex;
  for (const unsigned char byte : book.begin().ask(0).SerializeAsString()) {
    hex += fmt::format("{:02x}", byte);
  }
  EXPECT_EQ(hex,
            "0a020800"
            "12012a"
            "1a0408011001"
            "2002"
            "2801"
            "3a020801"
            "4001");
}

TEST(AskBook, AsksForAHostTogetherWithItsRackAndAnywhere) {
  AskBook book;
  auto request = want(7, 1);
  request.node_label = "gpu";
  request.preferred = {{.host = "n1", .rack = "/r1"}, {.host = "n2", .rack = "/r1"}};
  book.ask(request);
  const auto rows_of = [](const pb::AllocateRequest& ask) {
    std::string rows;
    for (const auto& row : ask.ask()) {
      EXPECT_TRUE(row.relax_locality()) << "any other host does, too";
      EXPECT_EQ(row.allocation_request_id(), 7);
      rows += fmt::format("{}={}{} ", row.resource_name(), row.num_containers(),
                          row.node_label_expression());
    }
    return rows;
  };
  EXPECT_EQ(rows_of(book.begin()), "n1=1 n2=1 /r1=1 *=1gpu ");
  EXPECT_TRUE(book.accept(answer(1)).granted.empty());
  book.withdraw(AllocationId(7));
  EXPECT_EQ(rows_of(book.begin()), "n1=0 n2=0 /r1=0 *=0gpu ");
}

/// A request for three containers: two on n1 and one on n2, which is in another rack.
ContainerRequest want_on_two_hosts() {
  auto request = want(7, 3);
  request.preferred = {{.host = "n1", .rack = "/r1", .count = 2}, {.host = "n2", .rack = "/r2"}};
  return request;
}

std::string rows_of(const pb::AllocateRequest& ask) {
  std::string rows;
  for (const auto& row : ask.ask()) {
    rows += fmt::format("{}={} ", row.resource_name(), row.num_containers());
  }
  return rows;
}

TEST(AskBook, AGrantIsTakenOffItsHostAndRack) {
  AskBook book;
  book.ask(want_on_two_hosts());
  EXPECT_EQ(rows_of(book.begin()), "n1=2 n2=1 /r1=2 /r2=1 *=3 ");
  auto granted = granting(1, {{1, 7}});
  granted.mutable_allocated_containers(0)->mutable_node_id()->set_host("n1");
  EXPECT_EQ(book.accept(granted).granted.size(), 1U);
  EXPECT_TRUE(is_empty(book.begin())) << "the scheduler has lowered its rows itself";
  book.resync();
  EXPECT_EQ(rows_of(book.begin()), "n1=1 n2=1 /r1=1 /r2=1 *=2 ");
}

TEST(AskBook, OnlyThereForbidsTheRackAndAnywhere) {
  AskBook book;
  auto request = want_on_two_hosts();
  request.only_there = true;
  book.ask(request);
  for (const auto& row : book.begin().ask()) {
    EXPECT_EQ(row.relax_locality(), row.resource_name().starts_with("n")) << row.resource_name();
  }
  (void)book.accept(answer(1));
  book.ask(want(7, 3));
  const auto& said = book.begin();
  EXPECT_EQ(rows_of(said), "n1=0 n2=0 /r1=0 /r2=0 *=3 ");
  EXPECT_TRUE(said.ask(4).relax_locality());
}

TEST(AskBook, RowsOfHostsThatAreWantedNoMoreAreSaidWithNothing) {
  AskBook book;
  book.ask(want_on_two_hosts());
  (void)book.begin();
  (void)book.accept(answer(1));
  book.ask(want(7, 1));
  EXPECT_EQ(rows_of(book.begin()), "n1=0 n2=0 /r1=0 /r2=0 *=1 ");
}

TEST(AskBook, ACountThatCrossedAGrantIsSaidAgain) {
  AskBook book;
  book.ask(want(7, 3));
  (void)book.begin();
  (void)book.accept(answer(1));
  book.ask(want(7, 2));
  EXPECT_EQ(rows_of(book.begin()), "*=2 ");
  // Granted before the resource manager read that, so its count is now one too high.
  EXPECT_EQ(book.accept(granting(2, {{1, 7}})).granted.size(), 1U);
  EXPECT_EQ(rows_of(book.begin()), "*=1 ");
  EXPECT_TRUE(book.accept(answer(3)).granted.empty());
  EXPECT_TRUE(is_empty(book.begin()));
}

TEST(AskBook, TellsAChangeOnce) {
  AskBook book;
  book.ask(want(1, 2));
  const auto& first = book.begin();
  ASSERT_EQ(first.ask_size(), 1);
  EXPECT_EQ(first.ask(0).num_containers(), 2);
  EXPECT_EQ(first.response_id(), 0);
  EXPECT_TRUE(book.accept(answer(1)).granted.empty());
  const auto& second = book.begin();
  EXPECT_TRUE(is_empty(second));
  EXPECT_EQ(second.response_id(), 1);
}

TEST(AskBook, RepeatsALostHeartbeatWordByWord) {
  AskBook book;
  book.ask(want(1, 1));
  const auto first = book.begin().SerializeAsString();
  book.ask(want(2, 1));
  book.release(container(9));
  EXPECT_EQ(book.begin().SerializeAsString(), first);
  (void)book.accept(answer(1));
  const auto& next = book.begin();
  ASSERT_EQ(next.ask_size(), 1);
  EXPECT_EQ(next.ask(0).allocation_request_id(), 2);
  EXPECT_EQ(releases(next), std::vector{container(9)});
}

TEST(AskBook, CountsGrantsAndReleasesWhatIsTooMuch) {
  AskBook book;
  book.ask(want(1, 1));
  (void)book.begin();
  const auto harvest = book.accept(granting(1, {{2, 1}, {3, 1}, {4, 77}}));
  ASSERT_EQ(harvest.granted.size(), 1U);
  EXPECT_EQ(harvest.granted[0].id, container(2));
  EXPECT_EQ(releases(book.begin()), (std::vector{container(3), container(4)}));
}

TEST(AskBook, TakesEachGrantAndEachEndOnce) {
  AskBook book;
  book.ask(want(1, 2));
  (void)book.begin();
  EXPECT_EQ(book.accept(granting(1, {{2, 1}})).granted.size(), 1U);
  (void)book.begin();
  EXPECT_TRUE(book.accept(granting(2, {{2, 1}})).granted.empty());
  EXPECT_TRUE(is_empty(book.begin()));
  // The other one is still wanted.
  EXPECT_EQ(book.accept(granting(3, {{3, 1}})).granted.size(), 1U);

  auto ended = answer(4);
  add_end(2, ended);
  add_end(2, ended);
  EXPECT_EQ(book.accept(ended).completed.size(), 1U);
  EXPECT_TRUE(book.accept(ended).completed.empty());
}

TEST(AskBook, WhatIsWithdrawnAndComesLateIsGivenBack) {
  AskBook book;
  book.ask(want(1, 1));
  (void)book.begin();
  (void)book.accept(answer(1));
  book.withdraw(AllocationId(1));
  const auto& ask = book.begin();
  ASSERT_EQ(ask.ask_size(), 1);
  EXPECT_EQ(ask.ask(0).num_containers(), 0);
  EXPECT_TRUE(book.accept(granting(2, {{2, 1}})).granted.empty());
  EXPECT_EQ(releases(book.begin()), std::vector{container(2)});
}

TEST(AskBook, AReleaseIsPendingUntilTheEndIsTold) {
  AskBook book;
  book.release(container(2));
  book.release(container(2));
  EXPECT_EQ(book.begin().release_size(), 1);
  (void)book.accept(answer(1));
  EXPECT_TRUE(is_empty(book.begin()));
  book.resync();
  EXPECT_EQ(book.begin().release_size(), 1);
  auto ended = answer(1);
  add_end(2, ended);
  (void)book.accept(ended);
  book.release(container(2));
  book.resync();
  EXPECT_TRUE(is_empty(book.begin()));
}

SchedulingRequest placed(int64_t allocation) {
  return {.allocation = AllocationId(allocation),
          .count = 1,
          .each = {},
          .tags = {"a"},
          .constraint = {}};
}

TEST(AskBook, SaysEverythingAnewAfterAResync) {
  AskBook book;
  book.ask(want(1, 3));
  book.ask(want(2, 1));
  book.ask_placed(placed(3));
  book.avoid({"h1", "h2"});
  (void)book.begin();
  (void)book.accept(granting(1, {{2, 1}}));
  book.avoid({"h1"});
  book.withdraw(AllocationId(2));
  (void)book.begin();
  book.resync();
  const auto& ask = book.begin();
  EXPECT_EQ(ask.response_id(), 0);
  ASSERT_EQ(ask.ask_size(), 1);
  EXPECT_EQ(ask.ask(0).num_containers(), 2);
  EXPECT_TRUE(ask.scheduling_requests().empty());
  EXPECT_EQ(avoided(ask), std::vector<std::string>{"h1"});
  EXPECT_TRUE(readmitted(ask).empty());
  (void)book.accept(answer(1));
  EXPECT_EQ(book.begin().scheduling_requests_size(), 1);
}

TEST(AskBook, PlacedRequestsWaitForAHeartbeatWithoutOrdinaryOnes) {
  AskBook book;
  book.ask(want(1, 1));
  book.ask_placed(placed(2));
  const auto& first = book.begin();
  EXPECT_EQ(first.ask_size(), 1);
  EXPECT_TRUE(first.scheduling_requests().empty());
  (void)book.accept(answer(1));
  const auto& second = book.begin();
  ASSERT_EQ(second.scheduling_requests_size(), 1);
  EXPECT_EQ(second.scheduling_requests(0).allocation_request_id(), 2);
  EXPECT_EQ(second.scheduling_requests(0).allocation_tags(0), "a");
  EXPECT_EQ(book.accept(granting(2, {{5, 2}})).granted.size(), 1U);
}

pb::AllocateResponse rejecting(int32_t response_id, int64_t allocation) {
  auto response = answer(response_id);
  auto* const rejected = response.add_rejected_scheduling_requests();
  rejected->set_reason(pb::REJECTION_REASON_COULD_NOT_SCHEDULE_ON_NODE);
  rejected->mutable_request()->set_allocation_request_id(allocation);
  rejected->mutable_request()->mutable_resource_sizing()->set_num_allocations(1);
  return response;
}

TEST(AskBook, WhatIsRejectedIsWantedNoMoreAndToldOnce) {
  AskBook book;
  book.ask_placed(placed(2));
  (void)book.begin();
  const auto rejected = book.accept(rejecting(1, 2)).rejected;
  EXPECT_EQ(rejected, (std::vector{RejectedRequest{.allocation = AllocationId(2),
                                                   .reason = RejectionReason::CouldNotSchedule}}));
  EXPECT_TRUE(book.accept(rejecting(2, 2)).rejected.empty());
  EXPECT_TRUE(is_empty(book.begin()));
  // A container that comes nevertheless was requested twice: the second one is somebody else's.
  EXPECT_TRUE(book.accept(granting(3, {{5, 2}})).granted.empty());
  EXPECT_EQ(releases(book.begin()), std::vector{container(5)});
}

TEST(AskBook, AWithdrawnPlacedRequestIsCancelledByItsNumber) {
  AskBook book;
  book.ask_placed(placed(2));
  (void)book.begin();
  (void)book.accept(answer(1));
  book.withdraw(AllocationId(2));
  const auto& ask = book.begin();
  ASSERT_EQ(ask.scheduling_requests_size(), 1);
  EXPECT_EQ(ask.scheduling_requests(0).resource_sizing().num_allocations(), 0);
  EXPECT_TRUE(book.accept(granting(2, {{5, 2}})).granted.empty());
}

TEST(AskBook, ARefusedHeartbeatIsSaidAgainWithoutWhatIsWithdrawn) {
  AskBook book;
  book.ask(want(1, 1));
  (void)book.begin();
  (void)book.accept(answer(1));
  book.withdraw(AllocationId(1));
  book.ask(want(2, 1));
  book.ask(want(3, 1));
  book.release(container(9));
  book.avoid({"h1", "h2"});
  (void)book.begin();
  book.avoid({"h1"});
  book.withdraw(AllocationId(3));
  book.refused();
  const auto& again = book.begin();
  EXPECT_EQ(again.response_id(), 1);
  // The cancelled request is known there; the other one never was.
  ASSERT_EQ(again.ask_size(), 2);
  EXPECT_EQ(again.ask(0).allocation_request_id(), 1);
  EXPECT_EQ(again.ask(0).num_containers(), 0);
  EXPECT_EQ(again.ask(1).allocation_request_id(), 2);
  EXPECT_EQ(releases(again), std::vector{container(9)});
  EXPECT_EQ(avoided(again), std::vector<std::string>{"h1"});
}

TEST(AskBook, AvoidsAndReadmitsWithoutContradiction) {
  AskBook book;
  book.avoid({"h1"});
  book.avoid({});
  const auto& ask = book.begin();
  EXPECT_TRUE(avoided(ask).empty());
  EXPECT_EQ(readmitted(ask), std::vector<std::string>{"h1"});
}

TEST(AskBook, ContainersOfEarlierAttemptsAreNotGivenBack) {
  AskBook book;
  book.adopt({{.id = container(2), .node = {"h1", 1}, .allocation = AllocationId(1)}});
  EXPECT_TRUE(book.accept(granting(1, {{2, 1}})).granted.empty());
  EXPECT_TRUE(is_empty(book.begin()));
}

}  // namespace
}  // namespace muster::hadoop::yarn
