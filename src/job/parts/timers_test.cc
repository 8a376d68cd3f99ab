#include "job/parts/timers.h"

#include "job/parts/turn.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

TEST(Timers, PassesWithItsPurposeOnce) {
  Turn turn;
  Timers timers(turn);
  const Timer<GatherTimer> timer = timers.set(GatherTimer{7}, Time(1s), "containers");
  const std::optional<Purpose> purpose = timers.pass(timer.id);
  ASSERT_TRUE(purpose && std::holds_alternative<GatherTimer>(*purpose));
  EXPECT_EQ(std::get<GatherTimer>(*purpose).cohort, 7U);
  EXPECT_FALSE(timers.pass(timer.id));
  EXPECT_TRUE(timers.pending().empty());
}

TEST(Timers, TellsWhatItSetsMovesAndClears) {
  Turn turn;
  Timers timers(turn);
  Timer<HoldTimer> timer = timers.set(HoldTimer{1}, Time(1s), "a grant");
  timers.move(timer, Time(2s));
  timers.clear(timer);
  EXPECT_FALSE(timer.is_set());
  timers.clear(timer);
  const std::vector<Action> expected = {
      SetDeadline{DeadlineId(1), DeadlineKind::Hold, Time(1s), "a grant"},
      SetDeadline{DeadlineId(1), DeadlineKind::Hold, Time(2s), "a grant"},
      ClearDeadline{DeadlineId(1)}};
  EXPECT_EQ(turn.actions, expected);
}

TEST(Timers, ClearsNothingThatHasPassed) {
  Turn turn;
  Timers timers(turn);
  Timer<RunTimer> timer = timers.set(RunTimer{}, Time(1s), "the end");
  ASSERT_TRUE(timers.pass(timer.id));
  turn.actions.clear();
  timers.clear(timer);
  EXPECT_TRUE(turn.actions.empty());
}

TEST(Timers, KnowsTheOldestWaitBeforeARestart) {
  Turn turn;
  Timers timers(turn);
  EXPECT_EQ(timers.restart_wait(), nullptr);
  const Timer<RestartTimer> first = timers.set(RestartTimer{}, Time(9s), "the first");
  (void)timers.set(StartOverTimer{}, Time(1s), "the second");
  EXPECT_EQ(*timers.restart_wait(), "the first");
  (void)timers.pass(first.id);
  EXPECT_EQ(*timers.restart_wait(), "the second");
  EXPECT_TRUE(turn.wait_changed);
}

TEST(Timers, SetsAllAgainForANewMaster) {
  Turn turn;
  Timers timers(turn);
  (void)timers.set(QueueTimer{}, Time(1s), "a container");
  (void)timers.set(BlameTimer{}, Time(2s), "an origin");
  const std::vector<Action> before = turn.actions;
  turn.actions.clear();
  timers.set_again();
  EXPECT_EQ(turn.actions, before);
}

}  // namespace
}  // namespace muster::job
