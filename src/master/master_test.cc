// The master's shell with the real machine, log and codec, on virtual time: agents and clients are
// scripted.
#include "master/master.h"

#include "eventlog/reader.h"
#include "testing/fake_link.h"
#include "testing/fake_loop.h"
#include "testing/memory_segment_store.h"
#include "testing/memory_transport.h"
#include "testing/recording_sink.h"
#include "testing/scripted_agent.h"
#include "testing/scripted_client.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::master {
namespace {

using control::Peer;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Two workers as a gang, on one host, one task in each container.
Result<job::Plan> two_workers(const std::string&, const std::string& job, uint64_t seed) {
  job::Plan plan;
  plan.job = job::JobId(job);
  plan.seed = seed;
  plan.name = "pair";
  plan.roles.push_back({.name = "worker", .tasks = 2, .tasks_min = 2});
  return plan;
}

class KeptPlace final : public PlaceStore {
 public:
  Status publish(const cluster::MasterPlaceFile& file) override {
    place = file;
    return {};
  }
  Status write_summary(const std::string& text) override {
    summary = text;
    return {};
  }
  std::optional<cluster::MasterPlaceFile> place;
  std::string summary;
};

/// One master's process: what dies with it.
struct Process {
  Process(rt::Loop& loop, testing::MemoryNetwork& network, testing::MemoryDisk& disk,
          KeptPlace& place, testing::RecordingSink& sink, std::string process_name)
      : name(std::move(process_name)),
        transport(network, name),
        store(loop, disk),
        link(loop),
        master({loop, transport, link, store, place, sink}, {.job = job::JobId("pair-1"),
                                                             .seed = 7,
                                                             .plan_json = "{}",
                                                             .plan_of = two_workers,
                                                             .logs_folder = "logs",
                                                             .version = "test"}) {}

  Status start() {
    return master.start([this](const MasterEnd& how) { end = how; });
  }

  std::string name;
  testing::MemoryTransport transport;
  testing::MemorySegmentStore store;
  testing::FakeLink link;
  std::optional<MasterEnd> end;
  Master master;
};

struct MasterWorld : ::testing::Test {
  MasterWorld() : first(make("m1")) {}

  std::unique_ptr<Process> make(const std::string& name) {
    auto process = std::make_unique<Process>(loop, network, disk, place, sink, name);
    process->link.grants = {job::HostName("h1")};
    process->link.next_container = next_container;
    next_container += 100;
    process->link.on_launch = [this](const cluster::LaunchOrder& order) {
      if (!agents.contains(order.container)) {
        agents[order.container] = std::make_unique<testing::ScriptedAgent>(loop, network, order);
      }
    };
    return process;
  }
  /// Starts the first master and waits until both workers run.
  void run() {
    ASSERT_TRUE(first->start().has_value());
    ASSERT_TRUE(loop.run_until([this] { return running(first->master) == 2; }, seconds(10)));
  }
  static int running(const Master& master) {
    int count = 0;
    for (const job::Task& task : master.machine().state().tasks[0]) {
      count += !task.attempts.empty() && task.attempts.back().state == job::AttemptState::Running;
    }
    return count;
  }
  static job::AttemptId worker(uint32_t index, uint32_t attempt = 1) {
    return {{job::RoleIndex(0), index}, attempt};
  }
  testing::ScriptedAgent& agent_of(const Master& master, uint32_t index) {
    return *agents.at(master.machine().state().tasks[0][index].attempts.back().container);
  }
  void succeed(const Master& master, uint32_t index) {
    agent_of(master, index).end(worker(index), {.exit_code = 0});
  }
  std::unique_ptr<testing::ScriptedClient> client(const Process& process, Peer::Kind kind,
                                                  const wire::ClientHello& hello = {
                                                      .who = "alice",
                                                      .follow_facts = true,
                                                      .follow_output = true}) {
    auto made = std::make_unique<testing::ScriptedClient>(
        network, "client" + std::to_string(++clients), process.master.address(), control::Secret{},
        kind, hello);
    loop.run_ready();
    return made;
  }
  /// The process dies: its connections break, what it had not written is lost.
  void kill(std::unique_ptr<Process>& process) {
    process->store.crash();
    process.reset();
    loop.run_ready();
  }

  testing::FakeLoop loop;
  testing::MemoryNetwork network{loop};
  testing::MemoryDisk disk;
  KeptPlace place;
  testing::RecordingSink sink;
  std::map<job::ContainerId, std::unique_ptr<testing::ScriptedAgent>> agents;
  int clients = 0;
  uint32_t next_container = 1;
  std::unique_ptr<Process> first;
};

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
  succeed(first->master, 0);
  succeed(first->master, 1);
  loop.advance(seconds(60));
  EXPECT_FALSE(first->end.has_value());
  alice->send(wire::StatusAsked{});
  loop.run_ready();
  ASSERT_EQ(alice->got<wire::StatusAnswered>().size(), 1U);
  EXPECT_NE(alice->got<wire::StatusAnswered>()[0].json.find("no space left on device"),
            std::string::npos);
  first->store.fail_appends(std::nullopt);
  EXPECT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(10)));
}

TEST_F(MasterWorld, TakesOverWithoutLosingATask) {
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
  EXPECT_EQ(second->master.machine().state().generation, job::Generation(1));
  EXPECT_GE(second->master.machine().state().epoch, job::Epoch(2));
  auto alice = client(*second, Peer::Kind::Owner);
  EXPECT_TRUE(std::holds_alternative<job::JobStarted>(alice->got<wire::FactLogged>()[0].fact));
  succeed(second->master, 0);
  succeed(second->master, 1);
  ASSERT_TRUE(loop.run_until([&] { return second->end.has_value(); }, seconds(5)));
  EXPECT_EQ(second->end->outcome->result, job::JobResult::Succeeded);
  EXPECT_EQ(agents.size(), 2U);
}

TEST_F(MasterWorld, LearnsOnTakeoverWhatEndedMeanwhile) {
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

TEST_F(MasterWorld, GivesUpAgentsThatNoNewMasterCanReach) {
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

TEST_F(MasterWorld, StopsWhenANewerMasterIsInCharge) {
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

TEST_F(MasterWorld, BeginsAnewWhenNoMasterWroteAnything) {
  disk.segments[job::Epoch(1)] = "";
  ASSERT_TRUE(first->start().has_value());
  EXPECT_TRUE(loop.run_until([this] { return running(first->master) == 2; }, seconds(10)));
  EXPECT_EQ(first->master.machine().state().epoch, job::Epoch(2));
}

TEST_F(MasterWorld, RefusesADamagedLogByName) {
  disk.segments[job::Epoch(1)] = "garbage";
  const Status started = first->start();
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, Errc::Corrupt);
  EXPECT_TRUE(started.error().message.starts_with("000001.log: "));
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
}

TEST_F(MasterWorld, HoldsItsOwnStallAgainstNobody) {
  run();
  loop.stall(seconds(60));
  loop.advance(seconds(5));
  EXPECT_EQ(running(first->master), 2);
  EXPECT_EQ(first->master.machine().state().generation, job::Generation(1));
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

}  // namespace
}  // namespace muster::master
