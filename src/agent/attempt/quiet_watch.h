#pragma once

#include "agent/attempt/life_signs.h"
#include "agent/attempt/pause_clock.h"
#include "base/time.h"
#include "wire/frame.h"

namespace muster::agent {

/// Measures how long a running attempt has done nothing visible from outside: written no output,
/// reported nothing, computed next to nothing (on GPUs, too), and moved next to no file data. A
/// shell loop that polls twice a second through short programs counts as doing nothing. A program
/// waiting for a peer and one with nothing to do look alike from here; what the silence means is
/// judged where all attempts are known. A value.
class QuietWatch {
 public:
  /// Takes a measurement; returns how long the attempt has been quiet, and its longest quiet period
  /// that ended.
  [[nodiscard]] wire::Pause look(HostTime now, const LifeSigns& signs);

 private:
  [[nodiscard]] bool moves(const LifeSigns& signs, Duration quiet) const;

  PauseClock clock_;
  LifeSigns then_;  ///< When it was last seen to do something.
};

}  // namespace muster::agent
