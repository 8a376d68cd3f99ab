// A master in charge: start, log, followers, stops, commits, liveness.
#include "master/decider.h"
#include "master/master_world_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace muster::master {
namespace {

/// The facts of one kind in the log.
template <class Kind>
std::vector<Kind> logged(testing::MemorySegmentStore& store) {
  std::vector<Kind> found;
  const Result<eventlog::Log> log = eventlog::read_log(store);
  for (const auto& record : log->records) {
    if (const auto* fact = std::get_if<Kind>(&record.fact)) {
      found.push_back(*fact);
    }
  }
  return found;
}

TEST_F(MasterWorld, TakesAJobFromStartToEnd) {
  run();
  EXPECT_EQ(place.place->address, first->master.address());
  auto alice = client(*first, Peer::Kind::Owner);
  succeed(first->master, 0);
  succeed(first->master, 1);
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(3)));
  loop.run_ready();
  EXPECT_EQ(first->end->kind, MasterEnd::Kind::JobEnded);
  EXPECT_EQ(first->end->outcome->result, job::JobResult::Succeeded);
  EXPECT_TRUE(first->link.finished.has_value());
  EXPECT_NE(place.summary.find("\"result\":\"succeeded\""), std::string::npos);
  for (const auto& [id, agent] : agents) {
    EXPECT_TRUE(agent->dismissed());
  }
  const auto facts = alice->got<wire::FactLogged>();
  const Result<eventlog::Log> log = eventlog::read_log(first->store);
  ASSERT_EQ(facts.size(), log->records.size());
  for (size_t i = 0; i < facts.size(); ++i) {
    EXPECT_EQ(facts[i].fact, log->records[i].fact);
  }
  EXPECT_EQ(alice->got<wire::JobEnded>().size(), 1U);
  EXPECT_TRUE(alice->closed());
  EXPECT_EQ(sink.errors(), 0U);
}

TEST_F(MasterWorld, NamesAContainersEndByTheClustersCode) {
  run();
  agent_of(first->master, 0).hang();
  const job::ContainerId container = agent_of(first->master, 0).container();
  first->link.end(container, job::ContainerEndKind::HostLost, "-101");
  loop.advance(seconds(1));
  const auto ended = logged<job::ContainerEnded>(first->store);
  ASSERT_EQ(ended.size(), 1U);
  ASSERT_TRUE(ended[0].failure.has_value());
  EXPECT_EQ(ended[0].failure->class_name, "host.disk");
}

TEST_F(MasterWorld, WaitsForTheClustersWordOnAContainerThatIsAskedToExit) {
  run();
  testing::ScriptedAgent& agent = agent_of(first->master, 0);
  job::Exit exit{.signal = 15, .failure = job::Failure{.class_name = "container.terminated"}};
  exit.failure->kind = job::FailureKind::Infrastructure;
  agent.end(worker(0), exit);
  loop.advance(seconds(2));
  EXPECT_EQ(running(first->master), 2) << "why it ends is still to come";
  first->link.end(agent.container(), job::ContainerEndKind::OverMemory, "-104");
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(60)));
  EXPECT_EQ(first->end->outcome->class_name, "memory.limit");
}

TEST_F(MasterWorld, WaitsForTheClustersWordNoLongerThanForALostAgent) {
  run();
  testing::ScriptedAgent& agent = agent_of(first->master, 0);
  job::Exit exit{.signal = 15, .failure = job::Failure{.class_name = "container.terminated"}};
  exit.failure->kind = job::FailureKind::Infrastructure;
  agent.end(worker(0), exit);
  loop.advance(seconds(9));
  EXPECT_TRUE(logged<job::AttemptEnded>(first->store).empty());
  loop.advance(seconds(2));
  EXPECT_EQ(logged<job::AttemptEnded>(first->store).size(), 1U);
}

TEST_F(MasterWorld, SendsTheViewBeforeAnyStart) {
  run();
  for (const auto& [id, agent] : agents) {
    bool view = false;
    for (const wire::MasterFrame& frame : agent->frames()) {
      view = view || std::holds_alternative<wire::ViewPushed>(frame);
      const auto* order = std::get_if<wire::AgentOrder>(&frame);
      EXPECT_TRUE(view || order == nullptr ||
                  !std::holds_alternative<job::StartAttempt>(order->action));
    }
    EXPECT_TRUE(view);
    EXPECT_EQ(agent->got<wire::ViewPushed>().back().view.members.size(), 2U);
  }
}

TEST_F(MasterWorld, DoesNothingBeforeItsFactIsInTheLog) {
  first->store.hold(true);
  ASSERT_TRUE(first->start().has_value());
  loop.advance(seconds(5));
  EXPECT_TRUE(first->link.requests.empty());
  first->store.hold(false);
  loop.run_ready();
  EXPECT_EQ(first->link.requests.size(), 2U);
}

TEST_F(MasterWorld, SaysThatTheLogCannotBeWrittenAndGoesOnLater) {
  run();
  first->store.fail_appends(Error{Errc::OutOfSpace, Blame::Cluster, "no space left on device"});
  auto alice = client(*first, Peer::Kind::Owner);
  EXPECT_TRUE(place.room);
  succeed(first->master, 0);
  loop.advance(seconds(60));
  auto bob = client(*first, Peer::Kind::Owner);
  for (const auto* each : {&alice, &bob}) {
    ASSERT_EQ((*each)->got<wire::StatusAnswered>().size(), 1U);
    EXPECT_NE((*each)->got<wire::StatusAnswered>()[0].json.find("no space left on device"),
              std::string::npos);
  }
  EXPECT_TRUE(place.room) << "kept for the end";
  succeed(first->master, 1);
  loop.advance(seconds(50));
  EXPECT_FALSE(place.room);
  EXPECT_FALSE(first->end.has_value());
  first->store.fail_appends(std::nullopt);
  EXPECT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(9)));
  ASSERT_EQ(alice->got<wire::StatusAnswered>().size(), 2U);
  EXPECT_NE(alice->got<wire::StatusAnswered>()[1].json.find(R"("log_trouble":null)"),
            std::string::npos);
}

TEST_F(MasterWorld, EndsTheTasksOfAStoppedJobWithoutItsLogAndThenTheJob) {
  run();
  first->store.fail_appends(Error{Errc::OutOfSpace, Blame::Cluster, "no space left on device"});
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(wire::StopJob{"alice"});
  const auto told = [this](uint32_t index) {
    for (const wire::AgentOrder& order : agent_of(first->master, index).got<wire::AgentOrder>()) {
      if (std::holds_alternative<job::StopAttempt>(order.action)) {
        return true;
      }
    }
    return false;
  };
  loop.advance(Decider::kStopPatience - seconds(1));
  EXPECT_FALSE(told(0));
  ASSERT_TRUE(loop.run_until([&] { return told(0) && told(1); }, seconds(2)));
  EXPECT_FALSE(first->end.has_value());
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); }, Decider::kEndPatience));
  EXPECT_EQ(first->end->outcome->result, job::JobResult::Stopped);
  EXPECT_NE(place.summary.find(R"("result":"stopped")"), std::string::npos);
  EXPECT_EQ(alice->got<wire::JobEnded>().size(), 1U);
  EXPECT_EQ(sink.count("log.given_up"), 1U);
}

TEST_F(MasterWorld, BeginsNothingThatItsLogDoesNotHoldWhenItStops) {
  first->store.fail_appends(Error{Errc::OutOfSpace, Blame::Cluster, "no space left on device"});
  ASSERT_TRUE(first->start().has_value());
  loop.run_ready();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(wire::StopJob{"alice"});
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); },
                             Decider::kEndPatience + seconds(5)));
  EXPECT_TRUE(first->link.requests.empty());
}

TEST_F(MasterWorld, TakesNoHarmWhenTheWallClockJumps) {
  run();
  for (const Duration jump : {Duration(std::chrono::years(1)), Duration(-std::chrono::years(2))}) {
    loop.shift_wall(jump);
    loop.advance(seconds(5));
    EXPECT_EQ(running(first->master), 2) << "no deadline fires, nobody is lost";
  }
  succeed(first->master, 0);
  succeed(first->master, 1);
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(5)));
  EXPECT_NE(place.summary.find(R"("result":"succeeded")"), std::string::npos);
  const size_t took = place.summary.find(R"("duration_ms":1)");
  EXPECT_NE(took, std::string::npos) << place.summary;
}

TEST_F(MasterWorld, KeepsPlacesForTheOwner) {
  run();
  std::vector<std::unique_ptr<testing::ScriptedClient>> viewers;
  for (int count = 0; count < 300; ++count) {
    viewers.push_back(client(*first, Peer::Kind::Viewer));
  }
  EXPECT_TRUE(viewers.front()->connected());
  EXPECT_FALSE(viewers.back()->connected());
  auto owner = client(*first, Peer::Kind::Owner);
  owner->send(wire::StopJob{"alice"});
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(5)));
  EXPECT_EQ(first->end->outcome->result, job::JobResult::Stopped);
}

// Viewers have proved that they may look, which is no reason to let them keep out everybody else.
TEST_F(MasterWorld, WhoIsSilentMakesRoomForWhoComes) {
  run();
  std::vector<std::unique_ptr<testing::ScriptedClient>> viewers;
  for (int count = 0; count < 300; ++count) {
    viewers.push_back(client(*first, Peer::Kind::Viewer));
  }
  EXPECT_FALSE(viewers.back()->connected());
  auto owner = client(*first, Peer::Kind::Owner);
  loop.advance(seconds(11));
  auto late = client(*first, Peer::Kind::Viewer);
  EXPECT_TRUE(late->connected());
  EXPECT_FALSE(viewers.front()->connected());
  EXPECT_TRUE(viewers[100]->connected());
  EXPECT_TRUE(owner->connected());
}

// A request has six bytes, and its answer thousands: the answers to everything that a client may
// send would take gigabytes.
TEST_F(MasterWorld, WhoAsksAndDoesNotReadIsClosed) {
  run();
  auto viewer = client(*first, Peer::Kind::Viewer);
  auto owner = client(*first, Peer::Kind::Owner);
  network.block("m1", "client1");
  for (int count = 0; count < 3000; ++count) {
    viewer->send(wire::StatusAsked{});
  }
  owner->send(wire::StatusAsked{});
  loop.run_ready();
  EXPECT_EQ(owner->got<wire::StatusAnswered>().size(), 1U);
  network.heal("m1", "client1");
  loop.run_ready();
  EXPECT_TRUE(viewer->closed());
  EXPECT_LT(viewer->got<wire::StatusAnswered>().size(), 500U) << "of some 850 bytes each";
  EXPECT_EQ(viewer->got<wire::Refused>().size(), 1U);
}

TEST_F(MasterWorld, WhoDoesNotReadGetsNoAnswerUntilThen) {
  run();
  auto viewer = client(*first, Peer::Kind::Viewer);
  network.block("m1", "client1");
  const std::string piece(100'000, 'x');
  for (uint64_t i = 0; i < 3; ++i) {
    agent_of(first->master, 0)
        .send(wire::Output{worker(0), wire::OutputStream::Stdout, i * piece.size(), 0, piece});
  }
  loop.run_ready();
  viewer->send(wire::StatusAsked{});
  viewer->send(wire::FollowMetrics{true});
  loop.advance(seconds(2));
  EXPECT_TRUE(viewer->got<wire::StatusAnswered>().empty());
  network.heal("m1", "client1");
  loop.advance(seconds(2));
  EXPECT_EQ(viewer->got<wire::StatusAnswered>().size(), 1U);
  EXPECT_TRUE(viewer->connected());
}

// Each turn of the loop answers one request of one of them.
TEST_F(MasterWorld, WhoAsksMuchLetsOthersHaveTheirTurn) {
  run();
  auto viewer = client(*first, Peer::Kind::Viewer, {});
  auto owner = client(*first, Peer::Kind::Owner, {});
  for (int count = 0; count < 12; ++count) {
    viewer->send(wire::StatusAsked{});
  }
  owner->send(wire::StatusAsked{});
  const auto answers = [](const testing::ScriptedClient& one) {
    return one.got<wire::StatusAnswered>().size();
  };
  ASSERT_TRUE(loop.run_until([&] { return answers(*owner) == 1; }, seconds(1)));
  EXPECT_LT(answers(*viewer), 6U);
  loop.run_ready();
  EXPECT_EQ(answers(*viewer), 12U);
}

TEST_F(MasterWorld, WhoGoesOnAskingForWhatItMayNotHaveIsClosed) {
  run();
  auto viewer = client(*first, Peer::Kind::Viewer);
  auto again = client(*first, Peer::Kind::Viewer);
  for (int count = 0; count < 100; ++count) {
    viewer->send(wire::StopJob{"viewer"});
  }
  again->send(wire::ClientHello{.who = "alice"});
  loop.run_ready();
  EXPECT_TRUE(viewer->closed());
  EXPECT_LT(viewer->got<wire::Refused>().size(), 70U);
  EXPECT_TRUE(again->closed()) << "each hello is answered with the whole plan";
  EXPECT_EQ(again->got<wire::ClientWelcome>().size(), 1U);
  EXPECT_EQ(first->master.machine().state().phase, job::JobPhase::Running);
}

TEST_F(MasterWorld, StopsForTheOwnerButNotForAViewer) {
  run();
  auto viewer = client(*first, Peer::Kind::Viewer);
  viewer->send(wire::StopJob{"viewer"});
  loop.run_ready();
  ASSERT_EQ(viewer->got<wire::Refused>().size(), 1U);
  EXPECT_EQ(first->master.machine().state().phase, job::JobPhase::Running);
  auto owner = client(*first, Peer::Kind::Owner);
  owner->send(wire::StopJob{"alice"});
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(5)));
  EXPECT_EQ(first->end->outcome->result, job::JobResult::Stopped);
  loop.run_ready();
  EXPECT_EQ(viewer->got<wire::JobEnded>().size(), 1U);
}

TEST_F(MasterWorld, SaysWhoStoppedItEvenIfTheyDoNot) {
  run();
  auto owner = client(*first, Peer::Kind::Owner);  // Its hello says that it is alice.
  owner->send(wire::StopJob{});
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(5)));
  EXPECT_EQ(first->end->outcome->message, "stopped by alice");
}

TEST_F(MasterWorld, IsStoppedByItsOwnerWhoHasNoName) {
  run();
  auto owner = client(*first, Peer::Kind::Owner, {});
  owner->send(wire::StopJob{});
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(5)));
  EXPECT_EQ(first->end->outcome->message, "stopped by its owner");
}

TEST_F(MasterWorld, BelievesAnAgentOnlyWhatRunsThere) {
  run();
  auto& agent = agent_of(first->master, 0);
  agent.send(wire::AgentFact{job::AttemptEnded{worker(1), {.exit_code = 0}}});
  loop.advance(seconds(1));
  EXPECT_EQ(sink.count("agent.fact_refused"), 1U);
  EXPECT_EQ(running(first->master), 2);
}

TEST_F(MasterWorld, RefusesAnAgentThatClaimsANewerMasterWhichDoesNotExist) {
  run();
  auto& agent = agent_of(first->master, 0);
  wire::AgentHello hello;
  hello.report.container = agent.container();
  hello.report.epoch = job::Epoch(9);
  agent.send(hello);
  loop.advance(milliseconds(100));
  EXPECT_EQ(sink.count("agent.refused"), 1U);
  EXPECT_FALSE(first->end.has_value());
}

TEST_F(MasterWorld, GrantsCommitsOfTheCurrentGenerationOnly) {
  run();
  testing::ScriptedAgent& agent = agent_of(first->master, 0);
  first->store.hold(true);
  agent.send(wire::CommitAsked{worker(0), job::Generation(1), "step-10"});
  loop.run_ready();
  EXPECT_TRUE(agent.got<wire::CommitAnswered>().empty());
  first->store.hold(false);
  loop.run_ready();
  agent.send(wire::CommitAsked{worker(0), job::Generation(7), "step-11"});
  agent.send(wire::CommitAsked{worker(1), job::Generation(1), "not mine"});
  loop.run_ready();
  const auto answers = agent.got<wire::CommitAnswered>();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].name, "step-10");
  EXPECT_EQ(answers[0].refusal, "");
  EXPECT_EQ(answers[1].name, "step-11");
  EXPECT_NE(answers[1].refusal, "");
  EXPECT_EQ(first->master.machine().state().last_commit->name, "step-10");
}

TEST_F(MasterWorld, DropsOutputOfAFollowerThatDoesNotRead) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  network.block("m1", "client1");
  testing::ScriptedAgent& agent = agent_of(first->master, 0);
  const std::string piece(100'000, 'x');
  for (uint64_t i = 0; i < 50; ++i) {
    agent.send(wire::Output{worker(0), wire::OutputStream::Stdout, i * piece.size(), 0, piece});
    loop.run_ready();
  }
  network.heal("m1", "client1");
  loop.run_ready();
  agent.send(wire::Output{worker(0), wire::OutputStream::Stdout, 50 * piece.size(), 0, "end"});
  loop.run_ready();
  const auto pieces = alice->got<wire::Output>();
  EXPECT_LT(pieces.size(), 10U);
  uint64_t seen = 0;
  for (const wire::Output& output : pieces) {
    seen += output.dropped + output.bytes.size();
  }
  EXPECT_EQ(pieces.back().bytes, "end");
  EXPECT_EQ(seen, 50 * piece.size() + 3);
}

TEST_F(MasterWorld, FollowsOutputOnlyWhileSomebodyDoes) {
  run();
  testing::ScriptedAgent& agent = agent_of(first->master, 0);
  EXPECT_TRUE(agent.got<wire::FollowOutput>().empty());
  auto alice = client(*first, Peer::Kind::Viewer);
  EXPECT_TRUE(agent.got<wire::FollowOutput>().back().on);
  alice->leave();
  loop.run_ready();
  EXPECT_FALSE(agent.got<wire::FollowOutput>().back().on);
}

TEST_F(MasterWorld, SuspectsThenLosesASilentAgent) {
  run();
  testing::ScriptedAgent& agent = agent_of(first->master, 0);
  agent.hang();
  loop.advance(milliseconds(3'500));
  EXPECT_TRUE(first->master.machine().state().containers.at(agent.container()).suspected);
  loop.advance(seconds(8));
  const Result<eventlog::Log> log = eventlog::read_log(first->store);
  int lost = 0;
  for (const eventlog::Record& record : log->records) {
    const auto* fact = std::get_if<job::AgentLost>(&record.fact);
    lost += fact != nullptr && fact->container == agent.container();
  }
  EXPECT_EQ(lost, 1);
  EXPECT_THAT(first->link.to_confirm, ::testing::ElementsAre(agent.container()));
}

TEST_F(MasterWorld, HearsNothingMoreFromAReplacedConnection) {
  run();
  testing::ScriptedAgent& old = agent_of(first->master, 0);
  const auto order =
      std::ranges::find(first->link.launches, old.container(), &cluster::LaunchOrder::container);
  network.latency = [](const std::string&, const std::string&) {
    return Duration(milliseconds(5));
  };
  const testing::ScriptedAgent newer(loop, network, *order);
  loop.advance(milliseconds(12));
  old.end(worker(0), {.exit_code = 0});  // Arrives right after the hello of the new connection.
  loop.advance(seconds(1));
  const Result<eventlog::Log> log = eventlog::read_log(first->store);
  EXPECT_TRUE(std::ranges::none_of(log->records, [](const eventlog::Record& record) {
    return std::holds_alternative<job::AttemptEnded>(record.fact);
  }));
}

TEST_F(MasterWorld, HoldsItsOwnStallAgainstNobody) {
  run();
  loop.stall(seconds(60));
  loop.advance(seconds(5));
  EXPECT_EQ(running(first->master), 2);
  EXPECT_EQ(first->master.machine().state().view.generation, job::Generation(1));
  EXPECT_GE(sink.count("master.stalled"), 1U);
}

TEST_F(MasterWorld, HearsTheLastWordsOfAContainerThatEnded) {
  run();
  testing::ScriptedAgent& agent = agent_of(first->master, 0);
  const job::ContainerId container = agent.container();
  network.latency = [](const std::string&, const std::string& to) {
    return to == "m1" ? Duration(milliseconds(5)) : Duration::zero();
  };
  job::Exit exit{.exit_code = 7};
  exit.failure = {"user.exit", job::FailureKind::User, job::Remedy::GiveUp, "boom", ""};
  agent.end(worker(0), exit);
  agents.erase(container);
  first->link.end(container, job::ContainerEndKind::Completed);
  ASSERT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(60)));
  ASSERT_TRUE(first->end->outcome->first_cause.has_value());
  EXPECT_EQ(first->end->outcome->first_cause->exit_code, 7);
}

/// Watches the job, and hears of its end late or never.
class SlowAudience final : public Audience {
 public:
  void changed() override {}
  void output(const wire::Output&) override {}
  [[nodiscard]] bool served() const override { return told; }
  bool told = false;
};

TEST_F(MasterWorld, LeavesItsClusterOnceTheAudienceIsServed) {
  SlowAudience audience;
  first = make("m1", false, &audience);
  run();
  succeed(first->master, 0);
  succeed(first->master, 1);
  ASSERT_TRUE(loop.run_until([this] { return !place.summary.empty(); }, seconds(5)));
  loop.advance(milliseconds(400));
  EXPECT_FALSE(first->link.finished.has_value());
  audience.told = true;
  first->master.audience_served();
  EXPECT_TRUE(loop.run_until([this] { return first->link.finished.has_value(); }, milliseconds(1)));
  EXPECT_TRUE(loop.run_until([this] { return first->end.has_value(); }, milliseconds(1)));
}

TEST_F(MasterWorld, DoesNotWaitLongForAnAudience) {
  SlowAudience audience;
  first = make("m1", false, &audience);
  run();
  succeed(first->master, 0);
  succeed(first->master, 1);
  EXPECT_TRUE(loop.run_until([this] { return first->link.finished.has_value(); }, seconds(1)));
  EXPECT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(2)));
}

}  // namespace
}  // namespace muster::master
