// From one master to the next: recovery, fencing, and what the log may look like.
#include "master/decider.h"
#include "master/master_world_test.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::master {
namespace {

using Takeover = MasterWorld;

TEST_F(Takeover, TakesOverWithoutLosingATask) {
  run();
  kill(first);
  loop.advance(seconds(5));
  auto second = make("m2");
  ASSERT_TRUE(second->start().has_value());
  ASSERT_TRUE(loop.run_until(
      [&] {
        return agents.begin()->second->epoch() == job::Epoch(2) &&
               agents.rbegin()->second->epoch() == job::Epoch(2) && running(second->master) == 2;
      },
      seconds(5)));
  EXPECT_EQ(second->link.known_at_start.size(), 2U);
  EXPECT_EQ(second->master.machine().state().view.generation, job::Generation(1));
  EXPECT_GE(second->master.machine().state().epoch, job::Epoch(2));
  auto alice = client(*second, Peer::Kind::Owner);
  EXPECT_TRUE(std::holds_alternative<job::JobStarted>(alice->got<wire::FactLogged>()[0].fact));
  succeed(second->master, 0);
  succeed(second->master, 1);
  ASSERT_TRUE(loop.run_until([&] { return second->end.has_value(); }, seconds(5)));
  EXPECT_EQ(second->end->outcome->result, job::JobResult::Succeeded);
  EXPECT_EQ(agents.size(), 2U);
}

TEST_F(Takeover, LearnsOnTakeoverWhatEndedMeanwhile) {
  run();
  kill(first);
  for (const auto& [id, agent] : agents) {
    agent->end(agent->attempts().begin()->first, {.exit_code = 0});
  }
  auto second = make("m2");
  ASSERT_TRUE(second->start().has_value());
  ASSERT_TRUE(loop.run_until([&] { return second->end.has_value(); }, seconds(5)));
  EXPECT_EQ(second->end->outcome->result, job::JobResult::Succeeded);
}

TEST_F(Takeover, LosesAgentsThatAreReachedAndSayNothing) {
  run();
  testing::ScriptedAgent& silent = agent_of(first->master, 1);
  silent.hang();
  kill(first);
  auto second = make("m2");
  ASSERT_TRUE(second->start().has_value());
  ASSERT_TRUE(loop.run_until([&] { return second->link.launches.size() == 1; }, seconds(60)));
  EXPECT_NE(second->link.launches[0].container, silent.container());
}

TEST_F(Takeover, DialsAgainWhenTheLineBreaksBeforeTheHello) {
  run();
  const job::ContainerId cut_off = agent_of(first->master, 1).container();
  kill(first);
  auto second = make("m2");
  network.latency = [](const std::string&, const std::string&) {
    return Duration(milliseconds(1));
  };
  ASSERT_TRUE(second->start().has_value());
  loop.advance(
      std::chrono::microseconds(2'500));  // The connection is open, the hello has not arrived yet.
  network.block(cut_off.value, "m2");
  loop.advance(milliseconds(100));
  network.reset(cut_off.value);
  network.heal(cut_off.value, "m2");
  ASSERT_TRUE(loop.run_until(
      [&] { return agents.at(cut_off)->epoch() == job::Epoch(2) && running(second->master) == 2; },
      seconds(5)));
  EXPECT_TRUE(second->link.launches.empty());
}

TEST_F(Takeover, GivesUpAgentsThatNoNewMasterCanReach) {
  run();
  const job::ContainerId lost = agent_of(first->master, 1).container();
  kill(first);
  agents.erase(lost);
  auto second = make("m2");
  ASSERT_TRUE(second->start().has_value());
  ASSERT_TRUE(loop.run_until(
      [&] { return sink.count("agent.hello") > 0 && second->link.launches.size() == 1; },
      seconds(60)));
  EXPECT_NE(second->link.launches[0].container, lost);
}

TEST_F(Takeover, StopsWhenANewerMasterIsInCharge) {
  run();
  network.block("m1", "c1");
  network.block("m1", "c2");
  auto second = make("m2");
  ASSERT_TRUE(second->start().has_value());
  loop.advance(seconds(1));
  network.heal("m1", "c1");
  network.heal("m1", "c2");
  ASSERT_TRUE(loop.run_until([&] { return first->end.has_value(); }, seconds(5)));
  EXPECT_EQ(first->end->kind, MasterEnd::Kind::Fenced);
  EXPECT_FALSE(first->link.finished.has_value());
  EXPECT_EQ(running(second->master), 2);
}

TEST_F(Takeover, EndsNothingWithoutItsLogOnceANewerMasterIsInCharge) {
  run();
  first->store.fail_appends(Error{Errc::OutOfSpace, Blame::Cluster, "no space left on device"});
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(wire::StopJob{"alice"});
  loop.advance(seconds(2));
  // No agent tells the first master about its successor.
  for (const char* agent : {"c1", "c2"}) {
    network.block("m1", agent);
    network.block(agent, "m1");
  }
  auto second = make("m2");
  ASSERT_TRUE(second->start().has_value());
  ASSERT_TRUE(loop.run_until([&] { return first->end.has_value(); }, Decider::kStopPatience));
  EXPECT_EQ(first->end->kind, MasterEnd::Kind::Fenced);
  EXPECT_EQ(sink.count("log.given_up"), 0U);
  EXPECT_EQ(place.summary, "");
  EXPECT_EQ(running(second->master), 2);
}

TEST_F(Takeover, BeginsAnewWhenNoMasterWroteAnything) {
  disk.segments[job::Epoch(1)] = "";
  ASSERT_TRUE(first->start().has_value());
  EXPECT_TRUE(loop.run_until([this] { return running(first->master) == 2; }, seconds(10)));
  EXPECT_EQ(first->master.machine().state().epoch, job::Epoch(2));
}

TEST_F(Takeover, RefusesADamagedLogByName) {
  disk.segments[job::Epoch(1)] = "garbage";
  const Status started = first->start();
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, Errc::Corrupt);
  EXPECT_TRUE(started.error().message.starts_with("000001.log: "));
}

}  // namespace
}  // namespace muster::master
