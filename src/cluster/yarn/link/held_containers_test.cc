#include "cluster/yarn/link/held_containers.h"

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
    return {{book_, log::Logger(sink_), [this](job::Fact fact) { facts_.push_back(fact); }},
            {.ports_in_names = true, .preemption_grace = 15s},
            std::move(known)};
  }
  template <class Fact>
  const Fact& told(size_t at) {
    return std::get<Fact>(facts_.at(at));
  }

  log::NullSink sink_;
  rm::AskBook book_;
  std::vector<job::Fact> facts_;
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
  held.release(id_of(grant(2)));
  EXPECT_FALSE(held.launch(id_of(grant(2))).has_value());
  held.ended({.id = grant(2).id, .exit_status = 143, .diagnostics = {}});
  EXPECT_EQ(told<job::ContainerEnded>(1).kind, job::ContainerEndKind::Released);
}

TEST_F(HeldContainersTest, WhatTheClusterDidNotKeepIsToldAtTheRegistration) {
  auto held = containers({id_of(grant(2)), id_of(grant(3))});
  EXPECT_FALSE(held.known_dead(id_of(grant(3))));
  held.registered({grant(2)});
  ASSERT_EQ(facts_.size(), 1U);
  EXPECT_EQ(told<job::ContainerEnded>(0).container, id_of(grant(3)));
  EXPECT_EQ(told<job::ContainerEnded>(0).kind, job::ContainerEndKind::Preempted);
  EXPECT_TRUE(held.known_dead(id_of(grant(3))));
  // It runs: there is nothing to start.
  EXPECT_FALSE(held.launch(id_of(grant(2))).has_value());
}

TEST_F(HeldContainersTest, WhatTheLogDoesNotKnowIsGivenBack) {
  auto held = containers({id_of(grant(2))});
  held.release(id_of(grant(2)));
  held.registered({grant(2), grant(4)});
  EXPECT_TRUE(facts_.empty());
  for (const int64_t number : {2, 4}) {
    held.ended({.id = grant(number).id, .exit_status = -105, .diagnostics = {}});
    EXPECT_EQ(told<job::ContainerEnded>(facts_.size() - 1).kind, job::ContainerEndKind::Released);
  }
}

}  // namespace
}  // namespace muster::cluster::yarn
