#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::testing {
namespace {

using std::chrono::seconds;

TEST(FakeLoop, RunsInOrderOfTimeThenOfAsking) {
  FakeLoop loop;
  std::string order;
  loop.call_after(seconds(2), [&] { order += 'c'; });
  loop.call_after(seconds(1), [&] {
    order += 'b';
    loop.post([&] { order += 'x'; });
  });
  loop.post([&] { order += 'a'; });
  loop.advance(seconds(3));
  EXPECT_EQ(order, "abxc");
  EXPECT_EQ(loop.now(), HostTime(seconds(3)));
}

TEST(FakeLoop, ForgetsCancelledTimers) {
  FakeLoop loop;
  bool ran = false;
  const rt::TimerId timer = loop.call_after(seconds(1), [&] { ran = true; });
  loop.cancel(timer);
  loop.cancel(timer);
  loop.cancel(rt::TimerId(99));
  loop.advance(seconds(2));
  EXPECT_FALSE(ran);
}

TEST(FakeLoop, StallsWithoutRunning) {
  FakeLoop loop;
  int ran = 0;
  loop.call_after(seconds(1), [&] { ++ran; });
  loop.stall(seconds(5));
  EXPECT_EQ(ran, 0);
  loop.run_ready();
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(loop.now(), HostTime(seconds(5)));
}

}  // namespace
}  // namespace muster::testing
