#include "cluster/yarn/link/beat_timer.h"

#include "rt/scope.h"
#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::cluster::yarn {
namespace {

using namespace std::chrono_literals;

class BeatTimerTest : public ::testing::Test {
 protected:
  rt::Async<> beat_often() {
    while (!over_) {
      timer_.beaten();
      beats_ += 1;
      co_await timer_.due();
    }
  }
  int beats_within(Duration time) {
    const int before = beats_;
    loop_.advance(time);
    return beats_ - before;
  }

  testing::FakeLoop loop_;
  BeatTimer timer_{loop_};
  int beats_ = 0;
  bool over_ = false;
  rt::Scope scope_{loop_};
};

TEST_F(BeatTimerTest, AChangeBringsTheNextBeatForward) {
  timer_.changed();
  scope_.spawn(beat_often());
  EXPECT_GE(beats_within(1s), 4);
  loop_.advance(10min);
  EXPECT_LE(beats_within(10s), 3);
  timer_.changed();
  EXPECT_GE(beats_within(1s), 4);
}

TEST_F(BeatTimerTest, StoppingEndsTheWait) {
  scope_.spawn(beat_often());
  loop_.advance(10min);
  over_ = true;
  timer_.stop();
  loop_.advance(1ms);
  EXPECT_EQ(scope_.size(), 0U);
}

}  // namespace
}  // namespace muster::cluster::yarn
