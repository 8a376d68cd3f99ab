#pragma once

#include "rt/async.h"
#include "rt/io_loop.h"
#include "rt/running.h"

#include <optional>
#include <utility>

namespace muster::rt {

/// Runs the loop until `work` has ended and returns its result, for code that is not a coroutine
/// and has nothing else to do. Only from outside the loop; everything else on the loop runs, too,
/// and cannot stop it meanwhile.
template <class T>
[[nodiscard]] T run_to_end(IoLoop& loop, Async<T> work) {
  std::optional<T> result;
  const auto running = start(loop, std::move(work), [&](T value) {
    result.emplace(std::move(value));
    loop.stop();
  });
  while (!result.has_value()) {
    loop.run();
  }
  return *std::move(result);
}

}  // namespace muster::rt
