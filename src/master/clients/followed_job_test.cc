// A job that is followed by the one who starts it, and may be over before they are connected.

#include "master/master_world_test.h"

namespace muster::master {
namespace {

struct FollowedJob : MasterWorld {
  FollowedJob() { first = make("m0", true); }

  void write(uint32_t index, uint64_t offset, const std::string& bytes) {
    agent_of(first->master, index)
        .send(wire::Output{worker(index), wire::OutputStream::Stdout, offset, 0, bytes});
    loop.run_ready();
  }
  void succeed_both() {
    succeed(first->master, 0);
    succeed(first->master, 1);
    ASSERT_TRUE(loop.run_until(
        [this] { return first->master.machine().state().outcome.has_value(); }, seconds(5)));
  }
  static std::string text_of(const testing::ScriptedClient& client) {
    std::string text;
    for (const wire::Output& piece : client.got<wire::Output>()) {
      text += piece.bytes;
    }
    return text;
  }
};

TEST_F(FollowedJob, ShowsWhatTasksWroteBeforeItWasFollowed) {
  run();
  EXPECT_TRUE(agent_of(first->master, 0).got<wire::FollowOutput>().back().on);
  write(0, 0, "one\n");
  auto alice = client(*first, Peer::Kind::Owner);
  EXPECT_EQ(text_of(*alice), "one\n");
  for (const wire::FollowOutput& order : agent_of(first->master, 0).got<wire::FollowOutput>()) {
    EXPECT_TRUE(order.on) << "what the task wrote meanwhile would be lost";
  }
  write(0, 0, "one\ntwo\n");
  EXPECT_EQ(text_of(*alice), "one\ntwo\n") << "nothing twice";
  auto bob = client(*first, Peer::Kind::Viewer);
  EXPECT_EQ(text_of(*bob), "") << "that comes from the agents";
}

TEST_F(FollowedJob, AsksForTheLastLinesWhereNotAllWasKept) {
  run();
  constexpr size_t kPiece = 100'000;
  for (size_t count = 0; count < 4; ++count) {
    write(0, count * kPiece, std::string(kPiece, 'x'));
  }
  auto alice = client(*first, Peer::Kind::Owner);
  const auto orders = agent_of(first->master, 0).got<wire::FollowOutput>();
  ASSERT_GE(orders.size(), 3U);
  EXPECT_FALSE(orders[orders.size() - 2].on) << "else the agent does not send its last lines";
  EXPECT_TRUE(orders.back().on);
  EXPECT_GT(orders.back().tail_lines, 0U);
}

TEST_F(FollowedJob, ThatIsOverWaitsForTheOneWhoStartedIt) {
  run();
  write(0, 0, "all\n");
  succeed_both();
  loop.advance(milliseconds(500));
  EXPECT_FALSE(first->end.has_value());
  auto alice = client(*first, Peer::Kind::Owner);
  EXPECT_EQ(text_of(*alice), "all\n");
  EXPECT_EQ(alice->got<wire::JobEnded>().size(), 1U);
  EXPECT_TRUE(std::holds_alternative<wire::JobEnded>(alice->events().back()));
  alice->leave();
  EXPECT_TRUE(loop.run_until([this] { return first->end.has_value(); }, milliseconds(1)));
}

TEST_F(FollowedJob, DoesNotWaitLong) {
  run();
  succeed_both();
  EXPECT_TRUE(loop.run_until([this] { return first->end.has_value(); }, seconds(2)));
}

TEST_F(FollowedJob, KeepsNothingForOneWhoDoesNotCome) {
  run();
  write(0, 0, "one\n");
  loop.advance(seconds(30));
  EXPECT_FALSE(agent_of(first->master, 0).got<wire::FollowOutput>().back().on);
  auto alice = client(*first, Peer::Kind::Owner);
  EXPECT_EQ(text_of(*alice), "");
}

}  // namespace
}  // namespace muster::master
