#pragma once

#include "rt/io_loop.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::inside {

/// A test whose sockets, and those of the code under test, live on one loop.
class LoopFixture : public ::testing::Test {
 protected:
  /// Runs the loop until the condition holds.
  template <class Condition>
  void until(Condition condition, int line = __builtin_LINE()) {
    const HostTime deadline = loop_.now() + std::chrono::seconds(60);
    bool holds = condition();
    while (!holds && loop_.now() < deadline) {
      loop_.run_until(loop_.now() + std::chrono::milliseconds(5));
      holds = condition();
    }
    ASSERT_TRUE(holds) << "in line " << line;
  }

  rt::IoLoop loop_;
};

}  // namespace muster::inside
