#pragma once

#include "base/time.h"

#include <cstdint>
#include <deque>
#include <optional>

namespace muster::scalars {

/// How far a program has come, from the steps that it tells of. Pure: the times are the caller's.
class Progress {
 public:
  /// Takes in that the program was at `step` at `at`. A step below the last one is a program that
  /// goes back (to a checkpoint, to another run): the rate is measured anew from there.
  void reached(int64_t step, HostTime at);
  /// Takes in how many steps there will be; the last word counts, 0 and less are none.
  void expects(int64_t max_steps);

  /// The step it is at; nullopt while none was told.
  [[nodiscard]] std::optional<int64_t> step() const;
  [[nodiscard]] std::optional<int64_t> max_steps() const { return max_steps_; }
  /// When it told of a step for the first time.
  [[nodiscard]] std::optional<HostTime> first_step_at() const { return first_at_; }
  /// Steps per second over the last half minute or, for programs that tell of steps more rarely,
  /// between the last two tellings. Falls towards 0 while nothing is told for longer than usual.
  /// nullopt until it can be told.
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
