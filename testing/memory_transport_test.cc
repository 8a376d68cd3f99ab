#include "testing/memory_transport.h"

#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::testing {
namespace {

using control::Peer;
using std::chrono::seconds;

/// An agent "a" connected to a master "m".
struct Pair : ::testing::Test {
  Pair() {
    auto listened = server.listen(
        {}, [this](const Peer&) -> Result<control::Key> { return key; },
        [this](std::unique_ptr<control::Channel> channel) { accepted = std::move(channel); });
    listener = std::move(*listened);
  }
  void connect(control::Key with = {}) {
    client.dial(listener->address(), {Peer::Kind::Agent, job::ContainerId("c1")}, with, seconds(5),
                [this](Result<std::unique_ptr<control::Channel>> channel) {
                  if (channel) {
                    dialled = std::move(*channel);
                  } else {
                    error = channel.error();
                  }
                });
    loop.advance(seconds(6));
  }
  void start(control::Channel& channel, std::vector<std::string>& into) {
    channel.start({[&into](std::string_view frame) { into.emplace_back(frame); },
                   [&into](const Error&) { into.emplace_back("closed"); }});
  }

  FakeLoop loop;
  MemoryNetwork network{loop};
  MemoryTransport server{network, "m"};
  MemoryTransport client{network, "a"};
  control::Key key{};
  std::unique_ptr<control::Listener> listener;
  std::unique_ptr<control::Channel> accepted, dialled;
  Error error;
};

TEST_F(Pair, DeliversInOrderAndTellsOfTheEnd) {
  connect();
  ASSERT_TRUE(accepted && dialled);
  EXPECT_EQ(accepted->peer().kind, Peer::Kind::Agent);
  EXPECT_EQ(dialled->peer().kind, Peer::Kind::Master);
  std::vector<std::string> got;
  dialled->send("one");
  dialled->send("two");
  loop.run_ready();
  start(*accepted, got);
  dialled->send("three");
  loop.run_ready();
  dialled.reset();
  loop.run_ready();
  EXPECT_EQ(got, (std::vector<std::string>{"one", "two", "three", "closed"}));
}

TEST_F(Pair, RefusesAWrongKey) {
  control::Key wrong{};
  wrong[0] = 1;
  connect(wrong);
  EXPECT_EQ(error.code, Errc::Unauthenticated);
  EXPECT_EQ(network.connections(), 0U);
}

TEST_F(Pair, HoldsFramesOfABlockedDirection) {
  connect();
  std::vector<std::string> at_master, at_agent;
  start(*accepted, at_master);
  start(*dialled, at_agent);
  network.block("a", "m");
  dialled->send("up");
  accepted->send("down");
  loop.advance(seconds(60));
  EXPECT_TRUE(at_master.empty());
  EXPECT_EQ(dialled->queued_bytes(), 2U);
  EXPECT_EQ(at_agent, std::vector<std::string>{"down"});
  network.heal("a", "m");
  loop.run_ready();
  EXPECT_EQ(at_master, std::vector<std::string>{"up"});
}

TEST_F(Pair, GivesUpDialsIntoSilence) {
  network.block("a", "m");
  connect();
  EXPECT_EQ(error.code, Errc::DeadlineExceeded);
}

TEST_F(Pair, CutsBothEnds) {
  connect();
  std::vector<std::string> at_master, at_agent;
  start(*accepted, at_master);
  start(*dialled, at_agent);
  network.cut("m");
  loop.run_ready();
  EXPECT_EQ(at_master, std::vector<std::string>{"closed"});
  EXPECT_EQ(at_agent, std::vector<std::string>{"closed"});
}

}  // namespace
}  // namespace muster::testing
