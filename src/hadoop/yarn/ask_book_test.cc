#include "hadoop/yarn/ask_book.h"

#include <gtest/gtest.h>

namespace muster::hadoop::yarn {
namespace {

constexpr AttemptId kAttempt{.application = {.cluster_timestamp = 1, .number = 1}, .number = 1};

ContainerId container(int64_t number) { return {.attempt = kAttempt, .number = number}; }

ContainerRequest want(int64_t allocation, int32_t count) {
  return {.allocation = AllocationId(allocation),
          .count = count,
          .each = {.memory_mb = 1024, .vcores = 1}};
}

Grant grant(int64_t number, int64_t allocation) {
  return {.id = container(number), .node = {"h1", 1}, .allocation = AllocationId(allocation)};
}

AllocateAnswer answer(int32_t response_id, std::vector<Grant> granted = {}) {
  return {.response_id = response_id, .granted = std::move(granted)};
}

TEST(AskBook, TellsAChangeOnce) {
  AskBook book;
  book.ask(want(1, 2));
  EXPECT_TRUE(book.has_changes());
  const auto& first = book.begin(0);
  ASSERT_EQ(first.asks.size(), 1U);
  EXPECT_EQ(first.asks[0].count, 2);
  EXPECT_EQ(first.response_id, 0);
  EXPECT_TRUE(book.accept(answer(1)).granted.empty());
  EXPECT_FALSE(book.has_changes());
  const auto& second = book.begin(0);
  EXPECT_TRUE(second.asks.empty());
  EXPECT_EQ(second.response_id, 1);
}

TEST(AskBook, RepeatsALostHeartbeatWordByWord) {
  AskBook book;
  book.ask(want(1, 1));
  const auto first = book.begin(0);
  book.ask(want(2, 1));
  book.release(container(9));
  EXPECT_EQ(book.begin(0), first);
  (void)book.accept(answer(1));
  const auto& next = book.begin(0);
  ASSERT_EQ(next.asks.size(), 1U);
  EXPECT_EQ(next.asks[0].allocation, AllocationId(2));
  EXPECT_EQ(next.releases, std::vector{container(9)});
}

TEST(AskBook, CountsGrantsAndReleasesWhatIsTooMuch) {
  AskBook book;
  book.ask(want(1, 1));
  (void)book.begin(0);
  const auto harvest = book.accept(answer(1, {grant(2, 1), grant(3, 1), grant(4, 77)}));
  ASSERT_EQ(harvest.granted.size(), 1U);
  EXPECT_EQ(harvest.granted[0].id, container(2));
  EXPECT_EQ(harvest.surplus.size(), 2U);
  EXPECT_EQ(book.wanted(), 0);
  EXPECT_EQ(book.begin(0).releases, (std::vector{container(3), container(4)}));
}

TEST(AskBook, TakesEachGrantAndEachEndOnce) {
  AskBook book;
  book.ask(want(1, 2));
  (void)book.begin(0);
  EXPECT_EQ(book.accept(answer(1, {grant(2, 1)})).granted.size(), 1U);
  (void)book.begin(0);
  const auto again = book.accept(answer(2, {grant(2, 1)}));
  EXPECT_TRUE(again.granted.empty());
  EXPECT_TRUE(again.surplus.empty());
  EXPECT_EQ(book.wanted(), 1);

  auto ended = answer(3);
  ended.completed = {{.id = container(2)}, {.id = container(2)}};
  EXPECT_EQ(book.accept(ended).completed.size(), 1U);
  EXPECT_TRUE(book.accept(ended).completed.empty());
}

TEST(AskBook, WhatIsWithdrawnAndComesLateIsGivenBack) {
  AskBook book;
  book.ask(want(1, 1));
  (void)book.begin(0);
  (void)book.accept(answer(1));
  book.withdraw(AllocationId(1));
  const auto& ask = book.begin(0);
  ASSERT_EQ(ask.asks.size(), 1U);
  EXPECT_EQ(ask.asks[0].count, 0);
  const auto harvest = book.accept(answer(2, {grant(2, 1)}));
  EXPECT_EQ(harvest.surplus.size(), 1U);
  EXPECT_EQ(book.begin(0).releases, std::vector{container(2)});
}

TEST(AskBook, AReleaseIsPendingUntilTheEndIsTold) {
  AskBook book;
  book.release(container(2));
  book.release(container(2));
  EXPECT_EQ(book.begin(0).releases.size(), 1U);
  (void)book.accept(answer(1));
  EXPECT_TRUE(book.begin(0).releases.empty());
  book.resync();
  EXPECT_EQ(book.begin(0).releases.size(), 1U);
  auto ended = answer(1);
  ended.completed = {{.id = container(2)}};
  (void)book.accept(ended);
  book.release(container(2));
  book.resync();
  EXPECT_TRUE(book.begin(0).releases.empty());
}

TEST(AskBook, SaysEverythingAnewAfterAResync) {
  AskBook book;
  book.ask(want(1, 3));
  book.ask(want(2, 1));
  book.ask_placed({.allocation = AllocationId(3), .tags = {"a"}});
  book.avoid("h1");
  book.avoid("h2");
  book.change({.container = container(5), .version = 1});
  (void)book.begin(0);
  (void)book.accept(answer(1, {grant(2, 1)}));
  book.readmit("h2");
  book.withdraw(AllocationId(2));
  (void)book.begin(0);
  book.resync();
  const auto& ask = book.begin(0);
  EXPECT_EQ(ask.response_id, 0);
  ASSERT_EQ(ask.asks.size(), 1U);
  EXPECT_EQ(ask.asks[0].count, 2);
  EXPECT_TRUE(ask.scheduling.empty());
  EXPECT_EQ(ask.avoid, std::vector<std::string>{"h1"});
  EXPECT_TRUE(ask.readmit.empty());
  EXPECT_EQ(ask.updates.size(), 1U);
  (void)book.accept(answer(1));
  EXPECT_EQ(book.begin(0).scheduling.size(), 1U);
}

SchedulingRequest placed(int64_t allocation) {
  return {.allocation = AllocationId(allocation), .count = 1, .each = {}, .tags = {"a"}};
}

TEST(AskBook, PlacedRequestsWaitForAHeartbeatWithoutOrdinaryOnes) {
  AskBook book;
  book.ask(want(1, 1));
  book.ask_placed(placed(2));
  const auto& first = book.begin(0);
  EXPECT_EQ(first.asks.size(), 1U);
  EXPECT_TRUE(first.scheduling.empty());
  (void)book.accept(answer(1));
  EXPECT_TRUE(book.has_changes());
  EXPECT_EQ(book.begin(0).scheduling, std::vector{placed(2)});
  EXPECT_EQ(book.accept(answer(2, {grant(5, 2)})).granted.size(), 1U);
  EXPECT_EQ(book.wanted(), 1);
}

TEST(AskBook, WhatIsRejectedIsWantedNoMoreAndToldOnce) {
  AskBook book;
  book.ask_placed(placed(2));
  (void)book.begin(0);
  auto rejecting = answer(1);
  rejecting.rejected = {{.reason = RejectionReason::CouldNotPlace, .request = placed(2)}};
  EXPECT_EQ(book.accept(rejecting).rejected.size(), 1U);
  EXPECT_EQ(book.wanted(), 0);
  EXPECT_TRUE(book.accept(rejecting).rejected.empty());
  EXPECT_FALSE(book.has_changes());
  // What comes all the same was asked for twice: the second one is somebody else's.
  EXPECT_EQ(book.accept(answer(2, {grant(5, 2)})).surplus.size(), 1U);
}

TEST(AskBook, AWithdrawnPlacedRequestIsCancelledByItsNumber) {
  AskBook book;
  book.ask_placed(placed(2));
  (void)book.begin(0);
  (void)book.accept(answer(1));
  book.withdraw(AllocationId(2));
  const auto& ask = book.begin(0);
  ASSERT_EQ(ask.scheduling.size(), 1U);
  EXPECT_EQ(ask.scheduling[0].count, 0);
  EXPECT_EQ(book.accept(answer(2, {grant(5, 2)})).surplus.size(), 1U);
}

TEST(AskBook, ARefusedHeartbeatIsSaidAgainWithoutWhatIsWithdrawn) {
  AskBook book;
  book.ask(want(1, 1));
  (void)book.begin(0);
  (void)book.accept(answer(1));
  book.withdraw(AllocationId(1));
  book.ask(want(2, 1));
  book.ask(want(3, 1));
  book.release(container(9));
  book.avoid("h1");
  book.avoid("h2");
  (void)book.begin(0);
  book.readmit("h2");
  book.withdraw(AllocationId(3));
  book.refused();
  const auto& again = book.begin(0);
  EXPECT_EQ(again.response_id, 1);
  // The cancelled one is known there, the other one never was.
  ASSERT_EQ(again.asks.size(), 2U);
  EXPECT_EQ(again.asks[0].allocation, AllocationId(1));
  EXPECT_EQ(again.asks[0].count, 0);
  EXPECT_EQ(again.asks[1].allocation, AllocationId(2));
  EXPECT_EQ(again.releases, std::vector{container(9)});
  EXPECT_EQ(again.avoid, std::vector<std::string>{"h1"});
}

TEST(AskBook, AnUpdateIsPendingUntilItIsAnswered) {
  AskBook book;
  const ContainerUpdate update{.container = container(5), .version = 1};
  book.change(update);
  EXPECT_EQ(book.begin(0).updates, std::vector{update});
  auto refused = answer(1);
  refused.update_errors = {{.reason = "no", .update = update}};
  (void)book.accept(refused);
  book.resync();
  EXPECT_TRUE(book.begin(0).updates.empty());
}

TEST(AskBook, AvoidsAndReadmitsWithoutContradiction) {
  AskBook book;
  book.avoid("h1");
  book.readmit("h1");
  book.readmit("h9");
  const auto& ask = book.begin(0);
  EXPECT_TRUE(ask.avoid.empty());
  EXPECT_EQ(ask.readmit, std::vector<std::string>{"h1"});
}

TEST(AskBook, ContainersOfEarlierAttemptsAreNoSurplus) {
  AskBook book;
  book.adopt({grant(2, 1)});
  EXPECT_TRUE(book.accept(answer(1, {grant(2, 1)})).surplus.empty());
}

}  // namespace
}  // namespace muster::hadoop::yarn
