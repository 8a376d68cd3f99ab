#include "cluster/yarn/link/held_containers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <variant>
#include <vector>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
using namespace std::chrono_literals;

rm::Grant grant(int64_t number) {
  return {.id = {.attempt = {.application = {.cluster_timestamp = 1, .number = 1}, .number = 1},
                 .number = number},
          .node = {.host = "h1", .port = 45454},
          .each = {},
          .token = {},
          .allocation = {}};
}

job::ContainerId id_of(const rm::Grant& grant) { return job::ContainerId(to_string(grant.id)); }

class HeldContainersTest : public ::testing::Test {
 protected:
  HeldContainers containers(std::vector<job::ContainerId> known = {}) {
    return {{.book = book_,
             .log = log::Logger(sink_),
             .tell = [this](job::Fact fact) { facts_.push_back(std::move(fact)); },
             .tell_late = [this](job::Fact fact) { late_.push_back(std::move(fact)); },
             .end_at_node = [this](const rm::Grant& ended) { stopped_.push_back(ended.id); }},
            {.ports_in_names = true, .preemption_grace = 15s},
            std::move(known)};
  }
  /// Returns held containers, one of which was started, and given back without its end being known.
  HeldContainers lost() {
    auto held = containers();
    held.registered({});
    held.granted(grant(2), {});
    (void)held.launch(id_of(grant(2)));
    held.release(id_of(grant(2)), Confirm::Yes);
    return held;
  }
  /// Returns whether the next heartbeat gives anything back.
  bool gives_back() { return book_.begin().release_size() > 0; }
  template <class Fact>
  const Fact& told(size_t at) {
    return std::get<Fact>(facts_.at(at));
  }

  log::NullSink sink_;
  rm::AskBook book_;
  std::vector<job::Fact> facts_;
  std::vector<job::Fact> late_;
  std::vector<rm::ContainerId> stopped_;
};

TEST_F(HeldContainersTest, AContainersLifeIsToldOnce) {
  auto held = containers();
  held.registered({});
  held.granted(grant(2), {});
  EXPECT_EQ(told<job::ContainerGranted>(0).host, job::HostName("h1:45454"));
  EXPECT_FALSE(held.known_dead(id_of(grant(2))));
  EXPECT_TRUE(held.launch(id_of(grant(2))).has_value());
  EXPECT_FALSE(held.launch(id_of(grant(2))).has_value());
  held.preempted({grant(2).id, grant(2).id, grant(9).id});
  EXPECT_EQ(told<job::PreemptionNoticed>(1).container, id_of(grant(2)));
  const rm::ContainerStatus status{.id = grant(2).id, .exit_status = 7, .diagnostics = {}};
  held.ended(status);
  held.ended(status);
  EXPECT_EQ(told<job::ContainerEnded>(2).exit_code, 7);
  EXPECT_EQ(facts_.size(), 3U);
  EXPECT_TRUE(held.known_dead(id_of(grant(2))));
}

TEST_F(HeldContainersTest, WhatIsGivenBackIsNotStarted) {
  auto held = containers();
  held.registered({});
  held.granted(grant(2), {});
  held.release(id_of(grant(2)), Confirm::No);
  EXPECT_FALSE(held.launch(id_of(grant(2))).has_value());
  held.ended({.id = grant(2).id, .exit_status = 143, .diagnostics = {}});
  EXPECT_EQ(told<job::ContainerEnded>(1).kind, job::ContainerEndKind::Released);
}

TEST_F(HeldContainersTest, WhatTheClusterDidNotKeepIsToldAfterTheFirstHeartbeat) {
  auto held = containers({id_of(grant(2)), id_of(grant(3))});
  EXPECT_FALSE(held.known_dead(id_of(grant(3))));
  held.registered({grant(2)});
  EXPECT_TRUE(facts_.empty());
  held.heard();
  held.heard();
  ASSERT_EQ(facts_.size(), 1U);
  EXPECT_EQ(told<job::ContainerEnded>(0).container, id_of(grant(3)));
  EXPECT_EQ(told<job::ContainerEnded>(0).kind, job::ContainerEndKind::Preempted);
  EXPECT_TRUE(held.known_dead(id_of(grant(3))));
  // It is already running, so there is nothing to start.
  EXPECT_FALSE(held.launch(id_of(grant(2))).has_value());
}

TEST_F(HeldContainersTest, WhatEndedBetweenTwoMastersKeepsItsOwnReason) {
  auto held = containers({id_of(grant(2)), id_of(grant(3))});
  held.release(id_of(grant(3)), Confirm::No);
  held.ended({.id = grant(2).id, .exit_status = 1, .diagnostics = {}});
  EXPECT_TRUE(facts_.empty()) << "it is not registered";
  held.registered({});
  held.ended({.id = grant(2).id, .exit_status = -104, .diagnostics = "over its limit"});
  held.ended({.id = grant(2).id, .exit_status = -104, .diagnostics = "over its limit"});
  held.ended({.id = grant(3).id, .exit_status = -105, .diagnostics = {}});
  held.ended({.id = grant(4).id, .exit_status = 0, .diagnostics = {}});
  held.heard();
  ASSERT_EQ(facts_.size(), 2U);
  EXPECT_EQ(told<job::ContainerEnded>(0).container, id_of(grant(2)));
  EXPECT_EQ(told<job::ContainerEnded>(0).kind, job::ContainerEndKind::OverMemory);
  EXPECT_THAT(told<job::ContainerEnded>(0).diagnostics, ::testing::HasSubstr("over its limit"));
  EXPECT_EQ(told<job::ContainerEnded>(1).kind, job::ContainerEndKind::Released);
}

TEST_F(HeldContainersTest, WhatTheLogDoesNotKnowIsGivenBack) {
  auto held = containers({id_of(grant(2))});
  held.release(id_of(grant(2)), Confirm::No);
  held.registered({grant(2), grant(4)});
  EXPECT_TRUE(facts_.empty());
  for (const int64_t number : {2, 4}) {
    held.ended({.id = grant(number).id, .exit_status = -105, .diagnostics = {}});
    EXPECT_EQ(told<job::ContainerEnded>(facts_.size() - 1).kind, job::ContainerEndKind::Released);
  }
}

TEST_F(HeldContainersTest, WhatMustBeSeenGoneIsKilledAtItsNode) {
  auto held = lost();
  held.release(id_of(grant(2)), Confirm::Yes);
  EXPECT_EQ(stopped_, std::vector{grant(2).id});
  EXPECT_FALSE(gives_back());
  EXPECT_TRUE(held.awaits_end(grant(2).id));
  held.ended({.id = grant(2).id, .exit_status = -105, .diagnostics = {}});
  EXPECT_FALSE(held.awaits_end(grant(2).id));
  ASSERT_EQ(late_.size(), 1U);
  EXPECT_EQ(std::get<job::ContainerEnded>(late_[0]).kind, job::ContainerEndKind::Released);
}

TEST_F(HeldContainersTest, ThatItWasGivenBackIsNoEnd) {
  auto held = lost();
  held.not_reached(grant(2).id);
  EXPECT_TRUE(gives_back());
  held.ended({.id = grant(2).id, .exit_status = -100, .diagnostics = {}});
  EXPECT_TRUE(held.awaits_end(grant(2).id));
  EXPECT_FALSE(held.known_dead(id_of(grant(2))));
  EXPECT_TRUE(late_.empty());
  held.seen_gone(grant(2).id);
  held.seen_gone(grant(2).id);
  EXPECT_EQ(late_.size(), 1U);
  EXPECT_EQ(facts_.size(), 1U) << "the grant";
}

TEST_F(HeldContainersTest, WhatNobodyWaitsForIsTakenAtTheResourceManagersWord) {
  auto held = lost();
  held.not_reached(grant(2).id);
  held.ended({.id = grant(2).id, .exit_status = -100, .diagnostics = {}});
  held.release(id_of(grant(2)), Confirm::No);
  EXPECT_EQ(told<job::ContainerEnded>(1).kind, job::ContainerEndKind::Released);
  EXPECT_FALSE(held.awaits_end(grant(2).id));
}

TEST_F(HeldContainersTest, WhatWasNeverStartedNeedNotBeSeenGone) {
  auto held = containers();
  held.registered({});
  held.granted(grant(2), {});
  held.release(id_of(grant(2)), Confirm::Yes);
  EXPECT_TRUE(stopped_.empty());
  EXPECT_TRUE(gives_back());
}

TEST_F(HeldContainersTest, ANewMasterHasItKilledWhenItHasRegistered) {
  auto held = containers({id_of(grant(2))});
  held.release(id_of(grant(2)), Confirm::Yes);
  EXPECT_TRUE(stopped_.empty());
  held.registered({grant(2)});
  EXPECT_EQ(stopped_, std::vector{grant(2).id});
  EXPECT_FALSE(gives_back());
}

}  // namespace
}  // namespace muster::cluster::yarn
