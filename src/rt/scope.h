#pragma once

#include "rt/running.h"
#include "rt/wait.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace muster::rt {

/// Owns coroutines that nobody awaits. Destroying it cancels them all, so it is declared in their
/// class after (and destroyed before) what they use. Must not be destroyed or cancelled by one of
/// its own coroutines.
class Scope {
 public:
  explicit Scope(Loop& loop) : loop_(&loop), empty_(loop) {}
  Scope(Scope&&) = delete;
  ~Scope() { cancel(); }

  /// Starts `work` in the next turn of the loop.
  void spawn(Async<> work);
  /// Destroys all coroutines that have not ended.
  void cancel();
  [[nodiscard]] size_t size() const { return running_.size(); }
  /// Returns when no coroutine is left.
  [[nodiscard]] Async<> drained();

 private:
  Loop* loop_;
  Event empty_;
  uint64_t last_ = 0;
  std::map<uint64_t, Running> running_;
};

namespace internal {

template <class T>
// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): all() outlives them.
Async<> keep(Async<T> work, std::optional<T>& result) {
  result.emplace(co_await std::move(work));
}

}  // namespace internal

/// Runs all of `works` at the same time and returns their values in order, when the last has ended.
template <class T>
// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): a loop outlives them.
[[nodiscard]] Async<std::vector<T>> all(Loop& loop, std::vector<Async<T>> works) {
  std::vector<std::optional<T>> results(works.size());
  Scope scope(loop);
  for (size_t i = 0; i < works.size(); ++i) {
    scope.spawn(internal::keep(std::move(works[i]), results[i]));
  }
  co_await scope.drained();
  std::vector<T> values;
  values.reserve(results.size());
  for (std::optional<T>& result : results) {
    values.push_back(*std::move(result));
  }
  co_return values;
}

}  // namespace muster::rt
