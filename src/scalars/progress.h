#pragma once

#include "base/time.h"

#include <cstdint>
#include <deque>
#include <optional>

namespace muster::scalars {

/// How far a program has got, from the steps that it reports. Pure: the times are the caller's.
class Progress {
 public:
  /// Records that the program was at `step` at `at`. A lower step than the last one means that the
  /// program went back (to a checkpoint, to another run): the rate is measured anew from there.
  void reached(int64_t step, HostTime at);
  /// Records how many steps there will be; the latest value counts, and 0 and less mean unknown.
  void expects(int64_t max_steps);

  /// Returns the step it is at; nullopt if none was reported.
  [[nodiscard]] std::optional<int64_t> step() const;
  [[nodiscard]] std::optional<int64_t> max_steps() const { return max_steps_; }
  /// Returns when it first reported a step.
  [[nodiscard]] std::optional<HostTime> first_step_at() const { return first_at_; }
  /// Returns steps per second over the last half minute or, for programs that report steps less
  /// often, between the last two reports. Falls towards 0 while nothing is reported for longer than
  /// usual. nullopt until it is known.
  [[nodiscard]] std::optional<double> steps_per_second(HostTime now) const;

 private:
  struct Mark {
    int64_t step = 0;
    HostTime at{};
  };

  std::deque<Mark> marks_;  ///< Of the last half minute, at least the last two; steps rise.
  std::optional<int64_t> max_steps_;
  std::optional<HostTime> first_at_;
};

}  // namespace muster::scalars
