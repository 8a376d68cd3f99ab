#include "rt/run_to_end.h"

#include "rt/wait.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::rt {
namespace {

Async<int> seven_later(Loop* loop) {
  co_await pause_for(*loop, std::chrono::milliseconds(1));
  co_return 7;
}

TEST(RunToEnd, WaitsForItsWorkWhoeverStopsTheLoop) {
  IoLoop loop;
  loop.post([&] { loop.stop(); });
  EXPECT_EQ(run_to_end(loop, seven_later(&loop)), 7);
}

}  // namespace
}  // namespace muster::rt
