#pragma once

#include "agent/attempt/life_signs.h"
#include "agent/attempt/pause_clock.h"
#include "base/time.h"
#include "wire/frame.h"

namespace muster::agent {

/// Measures for how long a running attempt has done nothing that can be seen from outside: it wrote
/// no output, told nothing about itself, computed next to nothing, on a GPU neither, and moved next
/// to no bytes of files. A shell that asks for something twice a second, by programs that it
/// starts, does nothing more. One that waits for a peer and one that has nothing to do look the
/// same from here: what it means is judged where all attempts are known. A value.
class QuietWatch {
 public:
  /// Takes a measurement; returns for how long it has been quiet, and how long it ever was before
  /// it went on.
  [[nodiscard]] wire::Pause look(HostTime now, const LifeSigns& signs);

 private:
  [[nodiscard]] bool moves(const LifeSigns& signs, Duration quiet) const;

  PauseClock clock_;
  LifeSigns then_;  ///< When it was last seen to do something.
};

}  // namespace muster::agent
