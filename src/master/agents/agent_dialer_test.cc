#include "master/agents/agent_dialer.h"

#include "testing/fake_loop.h"
#include "testing/memory_transport.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::master {
namespace {

using std::chrono::seconds;

const job::ContainerId kContainer{"c1"};

/// A new master that dials one agent for 10 s.
class AgentDialing : public ::testing::Test {
 protected:
  void listen() {
    control::ListenOptions options;
    options.host = "agent";
    auto keys = [this](const control::Peer& peer) -> Result<control::Key> {
      const control::Peer agent{control::Peer::Kind::Agent, peer.container};
      return control::master_key_of(control::derive_key(secret, agent));
    };
    auto opened = there.listen(options, keys, [this](std::unique_ptr<control::Channel> channel) {
      accepted = std::move(channel);
    });
    ASSERT_TRUE(opened.has_value());
    listener = *std::move(opened);
  }
  void call() { dialer.call(kContainer, listener->address()); }
  /// Whatever is sent gets lost.
  void cut_off() { network.block("master", "agent"); }
  void heal() { network.heal("master", "agent"); }

  testing::FakeLoop loop;
  testing::MemoryNetwork network{loop};
  control::Secret secret{};
  testing::MemoryTransport here{network, "master"};
  testing::MemoryTransport there{network, "agent"};
  std::unique_ptr<control::Channel> accepted;
  std::unique_ptr<control::Listener> listener;
  std::unique_ptr<control::Channel> connected;
  int unreachable = 0;
  AgentDialer dialer{
      {.loop = loop, .transport = here, .secret = secret, .patience = seconds(10)},
      {.connected =
           [this](std::unique_ptr<control::Channel> channel) { connected = std::move(channel); },
       .unreachable = [this](const job::ContainerId&) { ++unreachable; }}};
};

TEST_F(AgentDialing, GoesOnUntilTheAgentAnswers) {
  listen();
  cut_off();
  call();
  loop.advance(seconds(8));
  EXPECT_EQ(connected, nullptr);
  heal();
  loop.advance(seconds(2));
  EXPECT_NE(connected, nullptr);
  EXPECT_EQ(unreachable, 0);
}

TEST_F(AgentDialing, GivesUpOnceWhenItsTimeIsOver) {
  listen();
  cut_off();
  call();
  loop.advance(seconds(9));
  EXPECT_EQ(unreachable, 0);
  loop.advance(seconds(2));
  EXPECT_EQ(unreachable, 1);
  loop.advance(seconds(60));
  EXPECT_EQ(unreachable, 1);
}

TEST_F(AgentDialing, HoldsItsOwnStallAgainstNoAgent) {
  listen();
  cut_off();
  call();
  loop.advance(seconds(1));
  loop.stall(seconds(60));
  heal();
  loop.advance(seconds(4));
  EXPECT_NE(connected, nullptr);
  EXPECT_EQ(unreachable, 0);
}

}  // namespace
}  // namespace muster::master
