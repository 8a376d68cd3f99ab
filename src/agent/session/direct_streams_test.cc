// Who may come to an agent for a stream, and what happens to the connection.
#include "agent/session/direct_streams.h"

#include "control/keys.h"
#include "testing/fake_loop.h"
#include "testing/memory_transport.h"
#include "testing/recording_sink.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace muster::agent {
namespace {

using control::Peer;
using std::chrono::seconds;
using wire::StreamFault;
using wire::StreamFrame;
using wire::StreamReset;

const std::string kTicket(wire::kTicketDigits, 'a');
const std::string kOther(wire::kTicketDigits, 'b');

/// Goal: check the agent's side with clients played by the test, over a network in memory that
/// checks keys as the real one does.
struct Door : ::testing::Test {
  Door() {
    direct.use_key(agent_key);
    listener = *agent.listen(
        {}, [this](const Peer& peer) { return direct.key_of(peer); },
        [this](std::unique_ptr<control::Channel> came) { direct.accept(std::move(came)); });
  }
  void expect(uint64_t id, const std::string& ticket) {
    direct.expect(id, {.request = wire::TcpRequest{80, ""}, .ticket = ticket});
  }
  /// Returns whether a client is let in; its connection is then in `channel`.
  bool dial(const Peer& self, const control::Key& key) {
    channel.reset();
    client.dial(listener->address(), self, key, seconds(5),
                [this](Result<std::unique_ptr<control::Channel>> dialled) {
                  if (dialled.has_value()) {
                    channel = *std::move(dialled);
                    channel->start({.frame =
                                        [this](std::string_view bytes) {
                                          got.push_back(*wire::decode_stream_frame(bytes));
                                        },
                                    .closed = [this](const Error&) { closed = true; }});
                  }
                });
    loop.run_ready();
    return channel != nullptr && !closed;
  }
  bool dial_with(const std::string& ticket) {
    return dial(stream(ticket), control::stream_key_of(agent_key, ticket));
  }
  static Peer stream(const std::string& ticket) {
    return {.kind = Peer::Kind::Stream, .container = job::ContainerId("c1"), .ticket = ticket};
  }
  void say(StreamFrame::Kind kind) {
    channel->send(wire::encode_stream_frame({1, std::move(kind)}));
    loop.run_ready();
  }

  testing::FakeLoop loop;
  testing::MemoryNetwork network{loop};
  testing::MemoryTransport agent{network, "agent"};
  testing::MemoryTransport client{network, "client"};
  testing::RecordingSink sink;
  control::Key agent_key{7};
  std::vector<StreamFrame> at_master;
  std::vector<StreamFrame> at_sessions;
  DirectStreams direct{
      loop,
      log::Logger(sink),
      {.to_master = [this](const StreamFrame& frame) { at_master.push_back(frame); },
       .to_sessions = [this](const StreamFrame& frame) { at_sessions.push_back(frame); }}};
  std::unique_ptr<control::Listener> listener;
  std::unique_ptr<control::Channel> channel;
  std::vector<StreamFrame> got;
  bool closed = false;
};

TEST_F(Door, OpensToWhoeverHasTheTicketAndOnlyOnce) {
  expect(5, kTicket);
  ASSERT_TRUE(dial_with(kTicket));
  ASSERT_EQ(at_sessions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<wire::StreamOpen>(at_sessions[0].kind));
  EXPECT_TRUE(DirectStreams::owns(at_sessions[0].id));
  ASSERT_EQ(at_master.size(), 1U);
  EXPECT_EQ(at_master[0], (StreamFrame{5, wire::StreamTaken{}}));
  // A ticket overheard on the way is of no use.
  const auto kept = std::move(channel);
  EXPECT_FALSE(dial_with(kTicket));
  EXPECT_EQ(at_sessions.size(), 1U);
}

TEST_F(Door, DoesNotOpenWithATicketThatHasExpired) {
  expect(5, kTicket);
  loop.advance(DirectStreams::kTicketLife);
  EXPECT_FALSE(dial_with(kTicket));
  ASSERT_EQ(at_master.size(), 1U);
  EXPECT_EQ(std::get<StreamReset>(at_master[0].kind).fault, StreamFault::Deadline);
  EXPECT_TRUE(at_sessions.empty());
}

TEST_F(Door, DoesNotOpenWithTheKeyOfAnotherStream) {
  expect(5, kTicket);
  expect(6, kOther);
  EXPECT_FALSE(dial(stream(kTicket), control::stream_key_of(agent_key, kOther)));
  EXPECT_TRUE(at_sessions.empty());
  EXPECT_TRUE(dial_with(kTicket));
}

TEST_F(Door, DoesNotOpenToViewersOwnersAndOtherAgents) {
  expect(5, kTicket);
  const control::Secret secret{};
  for (const auto kind : {Peer::Kind::Viewer, Peer::Kind::Owner, Peer::Kind::Agent}) {
    const Peer self{.kind = kind, .container = job::ContainerId("c1")};
    EXPECT_FALSE(dial(self, control::derive_key(secret, self)));
    EXPECT_FALSE(dial(stream(kTicket), control::derive_key(secret, self)));
  }
  EXPECT_FALSE(dial(stream(kTicket), control::stream_key_of(control::Key{8}, kTicket)));
  EXPECT_TRUE(at_sessions.empty());
}

TEST_F(Door, DoesNotOpenForStreamsOfAMasterThatIsGone) {
  expect(5, kTicket);
  direct.withdraw_all();
  EXPECT_FALSE(dial_with(kTicket));
  EXPECT_TRUE(at_sessions.empty());
}

TEST_F(Door, DoesNotOpenForAStreamThatIsToBeRelayed) {
  expect(5, kTicket);
  const auto request = direct.withdraw(5);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->request, wire::StreamRequest(wire::TcpRequest{80, ""}));
  EXPECT_FALSE(dial_with(kTicket));
  EXPECT_FALSE(direct.withdraw(5).has_value());
}

TEST_F(Door, AwaitsAsManyAsAMasterMayOpen) {
  for (uint64_t id = 1; id <= wire::kStreamsMax; ++id) {
    expect(id, fmt::format("{:032x}", id));
  }
  EXPECT_TRUE(at_master.empty());
  expect(1000, kTicket);
  ASSERT_EQ(at_master.size(), 1U);
  EXPECT_EQ(std::get<StreamReset>(at_master[0].kind).fault, StreamFault::Refused);
  EXPECT_FALSE(dial_with(kTicket));
}

TEST_F(Door, PassesOnWhatTheEndsSayAndTellsOfTheClientsEnd) {
  expect(5, kTicket);
  ASSERT_TRUE(dial_with(kTicket));
  const uint64_t id = at_sessions[0].id;
  say(wire::StreamData{"in"});
  EXPECT_EQ(at_sessions.back(), (StreamFrame{id, wire::StreamData{"in"}}));
  direct.send({id, wire::StreamData{"out"}});
  loop.run_ready();
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].kind, StreamFrame::Kind(wire::StreamData{"out"}));
  channel.reset();
  loop.run_ready();
  EXPECT_EQ(std::get<StreamReset>(at_sessions.back().kind).fault, StreamFault::Lost);
}

TEST_F(Door, ClosesBehindASecondStreamAndGarbage) {
  expect(5, kTicket);
  ASSERT_TRUE(dial_with(kTicket));
  say(wire::StreamOpen{.request = wire::TcpRequest{22, ""}});
  EXPECT_EQ(std::get<StreamReset>(got.back().kind).fault, StreamFault::Protocol);
  EXPECT_EQ(std::get<StreamReset>(at_sessions.back().kind).fault, StreamFault::Protocol);
  EXPECT_TRUE(closed);

  closed = false;
  expect(6, kOther);
  ASSERT_TRUE(dial_with(kOther));
  channel->send("\xff\xff");
  loop.run_ready();
  EXPECT_TRUE(closed);
}

TEST_F(Door, ClosesWhenTheSessionIsOver) {
  expect(5, kTicket);
  ASSERT_TRUE(dial_with(kTicket));
  direct.send({at_sessions[0].id, wire::StreamClosed{}});
  direct.end(at_sessions[0].id);
  loop.run_ready();
  // The client closes once it has everything.
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(std::get<StreamReset>(got[1].kind).fault, StreamFault::Cancelled);
  EXPECT_FALSE(closed);
  say(wire::StreamData{"late"});
  channel.reset();
  loop.run_ready();
  EXPECT_EQ(at_sessions.size(), 1U);
  EXPECT_EQ(network.connections(), 0U);
}

TEST_F(Door, ClosesOnAClientThatDoesNot) {
  expect(5, kTicket);
  ASSERT_TRUE(dial_with(kTicket));
  direct.end(at_sessions[0].id);
  loop.advance(DirectStreams::kFarewellMax);
  EXPECT_TRUE(closed);
}

}  // namespace
}  // namespace muster::agent
