#pragma once

#include "rt/io_loop.h"
#include "rt/running.h"
#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>

namespace muster::testing {

/// Runs `work` on virtual time to its end and returns its value; nullopt (and a failed
/// expectation) if it has not ended after `limit`.
template <class T>
std::optional<T> run_async(FakeLoop& loop, rt::Async<T> work,
                           Duration limit = std::chrono::hours(1)) {
  std::optional<T> result;
  const auto running =
      rt::start(loop, std::move(work), [&result](T value) { result.emplace(std::move(value)); });
  EXPECT_TRUE(loop.run_until([&] { return result.has_value(); }, limit)) << "it never ended";
  return result;
}

/// The same on a real loop, for tests with sockets.
template <class T>
std::optional<T> run_async(rt::IoLoop& loop, rt::Async<T> work,
                           Duration limit = std::chrono::seconds(20)) {
  std::optional<T> result;
  const auto running = rt::start(loop, std::move(work), [&](T value) {
    result.emplace(std::move(value));
    loop.stop();
  });
  loop.run_until(loop.now() + limit);
  EXPECT_TRUE(result.has_value()) << "it never ended";
  return result;
}

}  // namespace muster::testing
