#pragma once

#include "base/time.h"
#include "sim/random.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace muster::sim {

/// Virtual time and the queue of everything that will happen, ordered by (time, sequence). Nothing
/// outside a World decides what comes next.
class World {
 public:
  using Event = std::function<void()>;

  explicit World(uint64_t seed) : random_(seed) {}

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] uint64_t steps() const { return steps_; }

  /// Lets `event` happen at `when`, or now if that has passed, after everything that was scheduled
  /// before.
  void at(Time when, Event event);
  void after(Duration delay, Event event) { at(now_ + delay, std::move(event)); }

  /// Lets events happen until `done` returns true, none is left, or time would pass `limit`.
  /// Returns whether `done` was reached.
  bool run_until(Time limit, const std::function<bool()>& done);

  /// Mixes what happened into the run's hash: two runs of one seed must agree.
  void note(uint64_t value);
  [[nodiscard]] uint64_t hash() const { return hash_; }

 private:
  Time now_{};
  uint64_t sequence_ = 0;
  uint64_t steps_ = 0;
  uint64_t hash_ = 0xCBF29CE484222325ULL;
  Random random_;
  std::map<std::pair<Time, uint64_t>, Event> queue_;
};

}  // namespace muster::sim
