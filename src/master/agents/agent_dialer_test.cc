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
      return control::master_key_of(control::derive_key(secret_, agent));
    };
    auto opened = there_.listen(options, keys, [this](std::unique_ptr<control::Channel> channel) {
      accepted_ = std::move(channel);
    });
    ASSERT_TRUE(opened.has_value());
    listener_ = *std::move(opened);
  }
  void call() { dialer_.call(kContainer, listener_->address()); }
  /// From now on, whatever is sent gets lost.
  void cut_off() { network_.block("master", "agent"); }
  void heal() { network_.heal("master", "agent"); }

  testing::FakeLoop loop_;
  testing::MemoryNetwork network_{loop_};
  control::Secret secret_{};
  testing::MemoryTransport here_{network_, "master"};
  testing::MemoryTransport there_{network_, "agent"};
  std::unique_ptr<control::Channel> accepted_;
  std::unique_ptr<control::Listener> listener_;
  std::unique_ptr<control::Channel> connected_;
  int unreachable_ = 0;
  AgentDialer dialer_{
      {.loop = loop_, .transport = here_, .secret = secret_, .patience = seconds(10)},
      {.connected =
           [this](std::unique_ptr<control::Channel> channel) { connected_ = std::move(channel); },
       .unreachable = [this](const job::ContainerId&) { ++unreachable_; }}};
};

TEST_F(AgentDialing, GoesOnUntilTheAgentAnswers) {
  listen();
  cut_off();
  call();
  loop_.advance(seconds(8));
  EXPECT_EQ(connected_, nullptr);
  heal();
  loop_.advance(seconds(2));
  EXPECT_NE(connected_, nullptr);
  EXPECT_EQ(unreachable_, 0);
}

TEST_F(AgentDialing, GivesUpOnceWhenItsTimeIsOver) {
  listen();
  cut_off();
  call();
  loop_.advance(seconds(9));
  EXPECT_EQ(unreachable_, 0);
  loop_.advance(seconds(2));
  EXPECT_EQ(unreachable_, 1);
  loop_.advance(seconds(60));
  EXPECT_EQ(unreachable_, 1);
}

TEST_F(AgentDialing, HoldsItsOwnStallAgainstNoAgent) {
  listen();
  cut_off();
  call();
  loop_.advance(seconds(1));
  loop_.stall(seconds(60));
  heal();
  loop_.advance(seconds(4));
  EXPECT_NE(connected_, nullptr);
  EXPECT_EQ(unreachable_, 0);
}

}  // namespace
}  // namespace muster::master
