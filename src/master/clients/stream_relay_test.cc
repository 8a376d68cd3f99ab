// Streams between clients and agents: who may open them, that they are logged first, credit, and
// what becomes of them when one end misbehaves or goes away.
#include "control/keys.h"
#include "master/master_world_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>

namespace muster::master {
namespace {

using ::testing::HasSubstr;
using wire::StreamFault;
using wire::StreamFrame;
using wire::StreamReset;

/// Goal: check what the relay does, with clients and agents played by the test.
struct Streams : MasterWorld {
  static StreamFrame open(uint64_t id, uint32_t index = 0) {
    return {id, wire::StreamOpen{.attempt = worker(index, 0),
                                 .wait = seconds(30),
                                 .request = wire::ExecRequest{{"echo", "a b"}, std::nullopt}}};
  }
  static StreamFrame forward(uint64_t id, uint16_t port, std::string host = "") {
    return {id, wire::StreamOpen{.attempt = worker(0, 0),
                                 .wait = seconds(30),
                                 .request = wire::TcpRequest{port, std::move(host)}}};
  }
  void say(testing::ScriptedClient& client, uint64_t id, StreamFrame::Kind kind) {
    client.send(StreamFrame{id, std::move(kind)});
    loop.run_ready();
  }
  /// Opens a stream to a running worker; returns the id by which its agent knows it.
  uint64_t begin(testing::ScriptedClient& client, uint64_t id, uint32_t index = 0) {
    client.send(open(id, index));
    loop.run_ready();
    testing::ScriptedAgent& agent = agent_of(first->master, index);
    const auto frames = agent.got<StreamFrame>();
    EXPECT_FALSE(frames.empty());
    const uint64_t known = frames.empty() ? 0 : frames.back().id;
    answer(index, known, wire::StreamOpened{});
    return known;
  }
  void answer(uint32_t index, uint64_t id, StreamFrame::Kind kind) {
    agent_of(first->master, index).send(StreamFrame{id, std::move(kind)});
    loop.run_ready();
  }
  /// Opens a stream to the first worker, whose process has ended, which only its agent knows so
  /// far.
  void open_after_the_end(testing::ScriptedClient& client, uint64_t id) {
    client.send(open(id));
    loop.run_ready();
    answer(0, at_agent_id(), StreamReset{StreamFault::Lost, "the task has just ended"});
  }
  template <class Kind>
  static std::vector<Kind> kinds(const std::vector<StreamFrame>& frames) {
    std::vector<Kind> found;
    for (const StreamFrame& frame : frames) {
      if (const auto* kind = std::get_if<Kind>(&frame.kind)) {
        found.push_back(*kind);
      }
    }
    return found;
  }
  template <class Kind>
  std::vector<Kind> at_agent(uint32_t index) {
    return kinds<Kind>(agent_of(first->master, index).got<StreamFrame>());
  }
  /// Returns the id of the stream that the first worker's agent heard of last.
  uint64_t at_agent_id() { return agent_of(first->master, 0).got<StreamFrame>().back().id; }
  template <class Kind>
  static std::vector<Kind> at(const testing::ScriptedClient& client) {
    return kinds<Kind>(client.got<StreamFrame>());
  }
};

TEST_F(Streams, CarryDataBothWaysAndCloseHalfByHalf) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const uint64_t id = begin(*alice, 5);
  EXPECT_EQ(at_agent<wire::StreamOpen>(0)[0].attempt, worker(0));
  say(*alice, 5, wire::StreamData{"in"});
  say(*alice, 5, wire::StreamClosed{});
  answer(0, id, wire::StreamData{"out"});
  answer(0, id, wire::StreamClosed{});
  EXPECT_EQ(at_agent<wire::StreamData>(0)[0].bytes, "in");
  EXPECT_EQ(at_agent<wire::StreamClosed>(0).size(), 1U);
  EXPECT_EQ(alice->got<StreamFrame>().back().id, 5U);
  EXPECT_EQ(at<wire::StreamData>(*alice)[0].bytes, "out");
  EXPECT_EQ(at<wire::StreamClosed>(*alice).size(), 1U);
  // It is over, so anything that comes late is dropped silently.
  answer(0, id, wire::StreamData{"late"});
  say(*alice, 5, wire::StreamData{"late"});
  EXPECT_EQ(at<wire::StreamData>(*alice).size(), 1U);
  EXPECT_TRUE(at<wire::StreamReset>(*alice).empty());
}

TEST_F(Streams, AreInTheLogBeforeTheAgentHearsOfThem) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  first->store.hold(true);
  alice->send(open(1));
  loop.run_ready();
  EXPECT_TRUE(at_agent<wire::StreamOpen>(0).empty());
  first->store.hold(false);
  loop.run_ready();
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U);
  const auto facts = alice->got<wire::FactLogged>();
  const auto* session = std::get_if<job::SessionOpened>(&facts.back().fact);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->attempt, worker(0));
  EXPECT_EQ(session->who, "alice");
  EXPECT_EQ(session->verb, "exec");
  EXPECT_EQ(session->what, "echo 'a b'");
}

TEST_F(Streams, ToOnePortOfAClientAreOneSession) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const auto sessions = [&] {
    return std::ranges::count_if(alice->got<wire::FactLogged>(), [](const auto& logged) {
      return std::holds_alternative<job::SessionOpened>(logged.fact);
    });
  };
  first->store.hold(true);
  alice->send(forward(1, 80));
  alice->send(forward(2, 80));
  loop.run_ready();
  EXPECT_TRUE(at_agent<wire::StreamOpen>(0).empty());
  first->store.hold(false);
  loop.run_ready();
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 2U);
  alice->send(forward(3, 80));
  loop.run_ready();
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 3U);
  EXPECT_EQ(sessions(), 1);
  alice->send(forward(4, 81));
  loop.run_ready();
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 4U);
  EXPECT_EQ(sessions(), 2);
}

TEST_F(Streams, ThatWaitForTheLogMayBeGivenUp) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  first->store.hold(true);
  alice->send(forward(1, 80));
  alice->send(forward(2, 80));
  say(*alice, 1, wire::StreamReset{});
  first->store.hold(false);
  loop.run_ready();
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U);
}

TEST_F(Streams, ThatAreGivenUpBeforeTheirAgentKnowsAreSpokenOfNoMore) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  first->store.hold(true);
  say(*alice, 1, open(1).kind);
  say(*alice, 1, wire::StreamReset{});
  first->store.hold(false);
  loop.run_ready();
  EXPECT_TRUE(at<wire::StreamReset>(*alice).empty());
  EXPECT_TRUE(at_agent<wire::StreamOpen>(0).empty());
  EXPECT_TRUE(at_agent<wire::StreamReset>(0).empty());
}

TEST_F(Streams, FindTheTaskOfAHost) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const auto& state = first->master.machine().state();
  alice->send(forward(1, 80, state.tasks[0][0].attempts.back().host.value));
  alice->send(forward(2, 80, "worker-1"));
  alice->send(forward(3, 80, "example.org"));
  loop.run_ready();
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U);
  EXPECT_EQ(at_agent<wire::StreamOpen>(1).size(), 1U);
  ASSERT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
  EXPECT_THAT(at<wire::StreamReset>(*alice)[0].reason,
              HasSubstr("no task of the job runs on example.org"));
}

TEST_F(Streams, AreForOwnersOnly) {
  run();
  auto eve = client(*first, Peer::Kind::Viewer);
  eve->send(open(1));
  loop.run_ready();
  ASSERT_EQ(at<wire::StreamReset>(*eve).size(), 1U);
  EXPECT_EQ(at<wire::StreamReset>(*eve)[0].fault, StreamFault::Refused);
  EXPECT_TRUE(at_agent<wire::StreamOpen>(0).empty());
}

TEST_F(Streams, CannotBeOpenedByAgents) {
  run();
  agent_of(first->master, 0).send(open(77, 1));
  loop.run_ready();
  EXPECT_TRUE(at_agent<wire::StreamOpen>(1).empty());
  EXPECT_TRUE(agent_of(first->master, 0).connected());
}

TEST_F(Streams, OfAnotherContainerCannotBeTouchedByAnAgent) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const uint64_t id = begin(*alice, 1, 0);
  answer(1, id, wire::StreamData{"forged"});
  EXPECT_TRUE(at<wire::StreamData>(*alice).empty());
}

TEST_F(Streams, AreResetWhenTheirIdIsUsedAgain) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  begin(*alice, 3);
  say(*alice, 3, open(3).kind);
  ASSERT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
  EXPECT_EQ(at<wire::StreamReset>(*alice)[0].fault, StreamFault::Protocol);
  EXPECT_EQ(at_agent<wire::StreamReset>(0).size(), 1U);
  say(*alice, 2, open(2).kind);
  EXPECT_EQ(at<wire::StreamReset>(*alice).size(), 2U);
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U);
}

TEST_F(Streams, ThatNobodyOpenedAreRefused) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  say(*alice, 9, wire::StreamData{"x"});
  ASSERT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
  EXPECT_THAT(at<wire::StreamReset>(*alice)[0].reason, HasSubstr("no such stream"));
}

TEST_F(Streams, AreResetWhenAnEndSendsMoreThanItsCredit) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const uint64_t id = begin(*alice, 1);
  const std::string piece(wire::kStreamDataMax, 'x');
  for (size_t sent = 0; sent < wire::kStreamWindow; sent += piece.size()) {
    answer(0, id, wire::StreamData{piece});
  }
  EXPECT_TRUE(at<wire::StreamReset>(*alice).empty());
  say(*alice, 1, wire::StreamCredit{10});
  answer(0, id, wire::StreamData{std::string(10, 'y')});
  EXPECT_TRUE(at<wire::StreamReset>(*alice).empty());
  answer(0, id, wire::StreamData{"z"});
  ASSERT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
  EXPECT_EQ(at<wire::StreamReset>(*alice)[0].fault, StreamFault::Protocol);
  EXPECT_EQ(at_agent<wire::StreamReset>(0).size(), 1U);
}

TEST_F(Streams, HaveTheWindowsThatTheirEndsAskFor) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const auto send_all = [&](uint64_t id, size_t window) {
    for (size_t sent = 0; sent < window; sent += wire::kStreamDataMax) {
      say(*alice, id, wire::StreamData{std::string(wire::kStreamDataMax, 'x')});
    }
  };
  StreamFrame wide = forward(1, 80);
  std::get<wire::StreamOpen>(wide.kind).window = wire::kStreamWindowMax;
  alice->send(wide);
  loop.run_ready();
  EXPECT_EQ(at_agent<wire::StreamOpen>(0)[0].window, wire::kStreamWindowMax);
  const uint64_t id = at_agent_id();
  answer(0, id, wire::StreamOpened{.window = wire::kStreamWindowMax});
  EXPECT_EQ(at<wire::StreamOpened>(*alice)[0].window, wire::kStreamWindowMax);
  send_all(1, wire::kStreamWindowMax);
  for (size_t sent = 0; sent < wire::kStreamWindowMax; sent += wire::kStreamDataMax) {
    answer(0, id, wire::StreamData{std::string(wire::kStreamDataMax, 'x')});
  }
  EXPECT_TRUE(at<wire::StreamReset>(*alice).empty());
  say(*alice, 1, wire::StreamData{"x"});
  EXPECT_EQ(at<wire::StreamReset>(*alice).size(), 1U);

  // An agent that does not mention windows has the usual one.
  alice->send(forward(2, 80));
  loop.run_ready();
  answer(0, at_agent_id(), wire::StreamOpened{});
  send_all(2, wire::kStreamWindow);
  EXPECT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
  say(*alice, 2, wire::StreamData{"x"});
  EXPECT_EQ(at<wire::StreamReset>(*alice).size(), 2U);
}

TEST_F(Streams, AreResetForCreditThatNobodyHasUsed) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  begin(*alice, 1);
  say(*alice, 1, wire::StreamCredit{1});
  EXPECT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
}

TEST_F(Streams, ThatOneDoesNotReadStopNobody) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const uint64_t full = begin(*alice, 1, 0);
  const uint64_t other = begin(*alice, 2, 1);
  const std::string piece(wire::kStreamDataMax, 'x');
  for (size_t sent = 0; sent < wire::kStreamWindow; sent += piece.size()) {
    answer(0, full, wire::StreamData{piece});
  }
  answer(1, other, wire::StreamData{"through"});
  EXPECT_EQ(at<wire::StreamData>(*alice).back().bytes, "through");
}

TEST_F(Streams, AreLimitedForOneClient) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  for (uint64_t id = 1; id <= wire::kStreamsMax + 1; ++id) {
    alice->send(open(id, id % 2));
  }
  loop.run_ready();
  ASSERT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
  EXPECT_THAT(at<wire::StreamReset>(*alice)[0].reason, HasSubstr("52 sessions at a time"));
}

TEST_F(Streams, ToATaskThatIsNotThereAreRefused) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  say(*alice, 1, open(1, 7).kind);
  EXPECT_THAT(at<wire::StreamReset>(*alice)[0].reason, HasSubstr("no such task"));
}

TEST_F(Streams, ToATaskThatHasEndedAreRefused) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  succeed(first->master, 0);
  loop.run_ready();
  say(*alice, 1, open(1).kind);
  ASSERT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
  EXPECT_EQ(at<wire::StreamReset>(*alice)[0].fault, StreamFault::NotRunning);
  EXPECT_THAT(at<wire::StreamReset>(*alice)[0].reason, HasSubstr("worker:0 has ended"));
}

TEST_F(Streams, WaitForATaskThatDoesNotRunYet) {
  first->store.hold(true);
  ASSERT_TRUE(first->start().has_value());
  auto alice = client(*first, Peer::Kind::Owner);
  say(*alice, 1, open(1).kind);
  ASSERT_EQ(at<wire::StreamWaits>(*alice).size(), 1U);
  EXPECT_EQ(at<wire::StreamWaits>(*alice)[0].reason, "worker:0 has not started yet");
  first->store.hold(false);
  ASSERT_TRUE(loop.run_until([this] { return running(first->master) == 2; }, seconds(10)));
  loop.run_ready();
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U);
}

TEST_F(Streams, WaitForTheNextAttemptWhenTheAgentKnowsFirstOfAnEnd) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  open_after_the_end(*alice, 1);
  EXPECT_TRUE(at<StreamReset>(*alice).empty());
  EXPECT_EQ(at<wire::StreamWaits>(*alice).back().reason, "worker:0 is between two attempts");
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U) << "it is not asked again of the same one";
  agent_of(first->master, 0).end(worker(0), {.signal = SIGKILL});
  ASSERT_TRUE(loop.run_until([this] { return at_agent<wire::StreamOpen>(0).size() == 2; },
                             std::chrono::minutes(1)));
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).back().attempt, worker(0, 2));
  answer(0, at_agent_id(), wire::StreamOpened{});
  EXPECT_EQ(at<wire::StreamOpened>(*alice).size(), 1U);
}

TEST_F(Streams, OfATaskWhoseLastAttemptHasEndedAreOver) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  open_after_the_end(*alice, 1);
  succeed(first->master, 0);
  loop.run_ready();
  ASSERT_EQ(at<StreamReset>(*alice).size(), 1U);
  EXPECT_EQ(at<StreamReset>(*alice)[0].fault, StreamFault::NotRunning);
}

TEST_F(Streams, ThatMayHaveBegunAreNotAskedForAgain) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(open(1));
  loop.run_ready();
  const uint64_t id = at_agent_id();
  say(*alice, 1, wire::StreamData{"in"});
  answer(0, id, StreamReset{StreamFault::Lost, "the task has just ended"});
  ASSERT_EQ(at<StreamReset>(*alice).size(), 1U);
  EXPECT_EQ(at<StreamReset>(*alice)[0].fault, StreamFault::Lost);
}

TEST_F(Streams, DoNotWaitForEver) {
  first->store.hold(true);
  ASSERT_TRUE(first->start().has_value());
  auto alice = client(*first, Peer::Kind::Owner);
  say(*alice, 1, open(1).kind);
  loop.advance(seconds(29));
  EXPECT_TRUE(at<wire::StreamReset>(*alice).empty());
  loop.advance(seconds(2));
  ASSERT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
  EXPECT_EQ(at<wire::StreamReset>(*alice)[0].fault, StreamFault::Deadline);
}

TEST_F(Streams, EndAtTheAgentWhenTheClientGoes) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const uint64_t id = begin(*alice, 1);
  alice.reset();
  loop.run_ready();
  ASSERT_EQ(at_agent<wire::StreamReset>(0).size(), 1U);
  EXPECT_EQ(agent_of(first->master, 0).got<StreamFrame>().back().id, id);
}

TEST_F(Streams, ToAPortAreAskedForAgainWhenTheAgentCannotHaveAnswered) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(forward(1, 80));
  loop.run_ready();
  testing::ScriptedAgent& agent = agent_of(first->master, 0);
  ASSERT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U);
  const uint64_t before = agent.got<StreamFrame>().back().id;
  network.reset(agent.container().value);
  loop.run_ready();
  agent.dial();
  ASSERT_TRUE(
      loop.run_until([&] { return at_agent<wire::StreamOpen>(0).size() == 2; }, seconds(5)));
  const uint64_t known = agent.got<StreamFrame>().back().id;
  EXPECT_NE(known, before);
  EXPECT_TRUE(at<wire::StreamReset>(*alice).empty());
  answer(0, known, wire::StreamOpened{});
  EXPECT_EQ(alice->got<StreamFrame>().back().id, 1U);
  EXPECT_EQ(at<wire::StreamOpened>(*alice).size(), 1U);
  // From then on bytes may be lost with the connection.
  network.reset(agent.container().value);
  ASSERT_TRUE(
      loop.run_until([&] { return at<wire::StreamReset>(*alice).size() == 1; }, seconds(5)));
}

TEST_F(Streams, OutliveAConnectionOfTheirAgentThatComesToNothing) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const uint64_t id = begin(*alice, 1);
  testing::ScriptedAgent& agent = agent_of(first->master, 0);
  // The agent made two connections at once, as when it and a new master dial each other.
  testing::MemoryTransport second(network, "second");
  std::unique_ptr<control::Channel> silent;
  const Peer self{Peer::Kind::Agent, agent.container()};
  second.dial(first->master.address(), self, control::derive_key(control::Secret{}, self),
              seconds(5), [&silent](Result<std::unique_ptr<control::Channel>> channel) {
                ASSERT_TRUE(channel.has_value());
                silent = *std::move(channel);
              });
  loop.run_ready();
  ASSERT_NE(silent, nullptr);
  say(*alice, 1, wire::StreamData{"in"});
  silent->close();
  loop.run_ready();
  answer(0, id, wire::StreamData{"out"});
  EXPECT_EQ(at_agent<wire::StreamData>(0).size(), 1U);
  EXPECT_EQ(at<wire::StreamData>(*alice).size(), 1U);
  EXPECT_TRUE(at<wire::StreamReset>(*alice).empty());
}

TEST_F(Streams, EndAtTheClientWhenTheAgentGoes) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  begin(*alice, 1);
  agents.erase(first->master.machine().state().tasks[0][0].attempts.back().container);
  loop.run_ready();
  ASSERT_EQ(at<wire::StreamReset>(*alice).size(), 1U);
  EXPECT_EQ(at<wire::StreamReset>(*alice)[0].fault, StreamFault::Lost);
}

// ---- streams for which the client dials the agent itself

struct DirectStreams : Streams {
  static StreamFrame direct(uint64_t id) {
    StreamFrame frame = forward(id, 80);
    std::get<wire::StreamOpen>(frame.kind).direct = true;
    return frame;
  }
};

TEST_F(DirectStreams, AreOfferedOnceTheyAreInTheLogAndTheAgentKnowsOfThem) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  first->store.hold(true);
  alice->send(direct(1));
  loop.run_ready();
  EXPECT_TRUE(at<wire::StreamOffer>(*alice).empty());
  first->store.hold(false);
  loop.run_ready();
  const auto offers = at<wire::StreamOffer>(*alice);
  ASSERT_EQ(offers.size(), 1U);
  const testing::ScriptedAgent& agent = agent_of(first->master, 0);
  EXPECT_EQ(offers[0].container, agent.container());
  EXPECT_FALSE(offers[0].address.empty());
  const auto announced = at_agent<wire::StreamOpen>(0);
  ASSERT_EQ(announced.size(), 1U);
  EXPECT_EQ(announced[0].ticket, offers[0].ticket);
  // The key is that of the container and of this ticket.
  EXPECT_EQ(offers[0].key,
            control::stream_key_of(
                control::derive_key(control::Secret{}, {Peer::Kind::Agent, agent.container()}),
                offers[0].ticket));
}

TEST_F(DirectStreams, OpenOneWayThroughTheMasterToTheAgentAndNoSecond) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(direct(1));
  loop.run_ready();
  const auto offers = at<wire::StreamOffer>(*alice);
  ASSERT_EQ(offers.size(), 1U);
  testing::MemoryTransport outside(network, "outside");
  std::vector<std::string> refusals;
  const auto dial_master = [&](const job::ContainerId& container, const std::string& ticket) {
    const Peer self{.kind = Peer::Kind::Stream, .container = container, .ticket = ticket};
    outside.dial(first->master.address(), self, offers[0].key, seconds(5),
                 [&refusals](auto channel) { refusals.push_back(channel.error().message); });
    loop.run_ready();
  };
  dial_master(offers[0].container, std::string(wire::kTicketDigits, 'a'));
  dial_master(job::ContainerId("c99"), offers[0].ticket);
  // The agent, a scripted one here, lets in only masters: its refusal shows that it was asked.
  dial_master(offers[0].container, offers[0].ticket);
  dial_master(offers[0].container, offers[0].ticket);
  const std::string master = first->master.address() + " does not know us";
  EXPECT_EQ(refusals, (std::vector<std::string>{master, master,
                                                offers[0].address + " does not know us", master}));
}

TEST_F(DirectStreams, AreForgottenWhenTheClientHasCome) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(direct(1));
  loop.run_ready();
  const uint64_t id = at_agent_id();
  answer(0, id, wire::StreamTaken{});
  answer(0, id, wire::StreamData{"late"});
  say(*alice, 1, wire::StreamData{"late"});
  EXPECT_TRUE(at<wire::StreamData>(*alice).empty());
  EXPECT_TRUE(at_agent<wire::StreamData>(0).empty());
  EXPECT_TRUE(at<StreamReset>(*alice).empty());
}

TEST_F(DirectStreams, AreRelayedWhenTheAgentIsOutOfReach) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(direct(1));
  loop.run_ready();
  say(*alice, 1, wire::StreamDeclined{});
  EXPECT_EQ(at_agent<wire::StreamDeclined>(0).size(), 1U);
  const uint64_t id = at_agent_id();
  answer(0, id, wire::StreamOpened{});
  say(*alice, 1, wire::StreamData{"in"});
  answer(0, id, wire::StreamData{"out"});
  EXPECT_EQ(at_agent<wire::StreamData>(0)[0].bytes, "in");
  EXPECT_EQ(at<wire::StreamData>(*alice)[0].bytes, "out");
}

TEST_F(DirectStreams, ThatNobodyComesForAreOver) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(direct(1));
  loop.run_ready();
  answer(0, at_agent_id(),
         StreamReset{StreamFault::Deadline, "the client did not connect in time"});
  ASSERT_EQ(at<StreamReset>(*alice).size(), 1U);
  EXPECT_EQ(at<StreamReset>(*alice)[0].fault, StreamFault::Deadline);
}

TEST_F(DirectStreams, TakeNoDataBeforeTheyAreDeclined) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(direct(1));
  loop.run_ready();
  say(*alice, 1, wire::StreamData{"early"});
  EXPECT_EQ(at<StreamReset>(*alice)[0].fault, StreamFault::Protocol);
  // The agent has heard of it, and no longer waits.
  EXPECT_EQ(at_agent<StreamReset>(0).size(), 1U);
}

TEST_F(DirectStreams, AreNotOfferedToViewersNorForShells) {
  run();
  auto viewer = client(*first, Peer::Kind::Viewer);
  viewer->send(direct(1));
  loop.run_ready();
  EXPECT_TRUE(at<wire::StreamOffer>(*viewer).empty());
  EXPECT_EQ(at<StreamReset>(*viewer)[0].fault, StreamFault::Refused);
  EXPECT_TRUE(at_agent<wire::StreamOpen>(0).empty());

  auto alice = client(*first, Peer::Kind::Owner);
  StreamFrame shell = open(1);
  auto& request = std::get<wire::StreamOpen>(shell.kind);
  request.direct = true;
  request.request = wire::ExecRequest{{"sh"}, wire::Terminal{"xterm", {}}, true};
  alice->send(shell);
  loop.run_ready();
  EXPECT_TRUE(at<wire::StreamOffer>(*alice).empty());
  EXPECT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U);
}

TEST_F(DirectStreams, HaveNoTicketThatAClientMadeUp) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  StreamFrame frame = forward(1, 80);
  std::get<wire::StreamOpen>(frame.kind).ticket = std::string(wire::kTicketDigits, 'a');
  alice->send(frame);
  loop.run_ready();
  ASSERT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U);
  EXPECT_EQ(at_agent<wire::StreamOpen>(0)[0].ticket, "");
}

/// Returns the facts of one kind that a client has seen.
template <class Fact>
std::vector<Fact> facts_of(const testing::ScriptedClient& client) {
  std::vector<Fact> found;
  for (const auto& logged : client.got<wire::FactLogged>()) {
    if (const auto* fact = std::get_if<Fact>(&logged.fact)) {
      found.push_back(*fact);
    }
  }
  return found;
}

struct Shells : Streams {
  static StreamFrame join(uint64_t id, uint32_t attempt) {
    return {id, wire::StreamOpen{.attempt = worker(0, attempt),
                                 .wait = seconds(30),
                                 .request = wire::JoinRequest{3, 0, {24, 80}}}};
  }
};

TEST_F(Shells, ThatAreJoinedAndLeftAreInTheLog) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  auto watcher = client(*first, Peer::Kind::Owner);
  alice->send(join(1, 1));
  loop.run_ready();
  answer(0, at_agent_id(), wire::StreamOpened{3, 1, 0, 0});
  const auto opened = facts_of<job::SessionOpened>(*watcher);
  ASSERT_EQ(opened.size(), 1U);
  EXPECT_EQ(opened[0].verb, job::kJoinVerb);
  EXPECT_EQ(opened[0].what, "shell 3");
  EXPECT_TRUE(facts_of<job::SessionDetached>(*watcher).empty());
  alice.reset();
  loop.run_ready();
  const auto left = facts_of<job::SessionDetached>(*watcher);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0], (job::SessionDetached{worker(0), "alice", opened[0].from, "shell 3"}));
}

TEST_F(Shells, ThatEndedAreNotSaidToBeLeft) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(join(1, 1));
  loop.run_ready();
  const uint64_t id = at_agent_id();
  answer(0, id, wire::StreamOpened{3, 1, 0, 0});
  answer(0, id, wire::StreamClosed{});
  say(*alice, 1, wire::StreamClosed{});
  EXPECT_TRUE(facts_of<job::SessionDetached>(*alice).empty());
}

TEST_F(Shells, OfAnAttemptThatIsOverAreGone) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(join(1, 7));
  loop.run_ready();
  const auto resets = at<StreamReset>(*alice);
  ASSERT_EQ(resets.size(), 1U);
  EXPECT_EQ(resets[0].fault, StreamFault::NotRunning);
  EXPECT_THAT(resets[0].reason, HasSubstr("worker:0#7 has ended, and the shell with it"));
}

TEST_F(Shells, AreListedWithoutAWordInTheLog) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  alice->send(StreamFrame{
      1, wire::StreamOpen{
             .attempt = worker(0, 0), .wait = seconds(1), .request = wire::ShellsRequest{}}});
  loop.run_ready();
  ASSERT_EQ(at_agent<wire::StreamOpen>(0).size(), 1U);
  EXPECT_TRUE(facts_of<job::SessionOpened>(*alice).empty());
  const uint64_t id = at_agent_id();
  answer(0, id, wire::StreamOpened{});
  answer(0, id, wire::StreamData{"shell 1"});
  ASSERT_EQ(at<wire::StreamData>(*alice).size(), 1U);
  EXPECT_EQ(at<wire::StreamData>(*alice)[0].bytes, "shell 1");
  // It is open, so nobody waits for it any more.
  loop.advance(seconds(2));
  EXPECT_TRUE(at<StreamReset>(*alice).empty());
}

}  // namespace
}  // namespace muster::master
