// A job that is followed by whoever started it, and may be over before they are connected.

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

TEST_F(FollowedJob, AsksForTheLastLinesForEachWhoCome) {
  run();
  auto alice = client(*first, Peer::Kind::Owner);
  const auto orders = [this] { return agent_of(first->master, 0).got<wire::FollowOutput>(); };
  EXPECT_EQ(orders().back(), (wire::FollowOutput{true, 1000, true}));
  const size_t before = orders().size();
  auto bob = client(*first, Peer::Kind::Viewer);
  ASSERT_EQ(orders().size(), before + 1);
  EXPECT_EQ(orders().back(), (wire::FollowOutput{true, 1000, true}));
  first->master.follow_output(true);
  loop.run_ready();
  EXPECT_EQ(orders().size(), before + 2);
  for (const wire::FollowOutput& order : orders()) {
    EXPECT_TRUE(order.on) << "what the task writes meanwhile would be lost";
  }
}

TEST_F(FollowedJob, ShowsThePastBeforeWhatIsWrittenMeanwhile) {
  run();
  write(0, 0, "one\n");
  auto alice = client(*first, Peer::Kind::Owner);
  auto bob = client(*first, Peer::Kind::Viewer);
  write(0, 4, "two\n");
  EXPECT_EQ(text_of(*alice), "one\ntwo\n");
  EXPECT_EQ(text_of(*bob), "") << "the past is on its way";
  agent_of(first->master, 0)
      .send(wire::Output{worker(0), wire::OutputStream::Stdout, 0, 0, "one\ntwo\n", true, true});
  loop.run_ready();
  EXPECT_EQ(text_of(*alice), "one\ntwo\n") << "nothing twice";
  EXPECT_EQ(text_of(*bob), "one\ntwo\n");
}

TEST_F(FollowedJob, WaitsForThePastOfATaskThatEndsNoLongerThanASecond) {
  run();
  write(0, 0, "one\n");
  auto alice = client(*first, Peer::Kind::Owner);
  auto bob = client(*first, Peer::Kind::Viewer);
  auto carol = client(*first, Peer::Kind::Viewer);
  write(0, 4, "last\n");
  write(1, 4, "last, too\n");
  succeed(first->master, 0);
  loop.run_ready();
  EXPECT_EQ(text_of(*alice), "one\nlast\n");
  EXPECT_EQ(text_of(*bob), "");
  loop.advance(seconds(1));
  EXPECT_EQ(text_of(*bob), "last\nlast, too\n");
  auto dora = client(*first, Peer::Kind::Viewer);
  write(1, 14, "very last\n");
  succeed(first->master, 1);
  ASSERT_TRUE(
      loop.run_until([&] { return !dora->got<wire::JobEnded>().empty(); }, milliseconds(900)));
  EXPECT_EQ(text_of(*dora), "very last\n") << "the end of the job ends the waiting";
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
