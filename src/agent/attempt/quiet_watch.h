#pragma once

#include "base/time.h"
#include "wire/frame.h"

#include <cstdint>
#include <optional>

namespace muster::agent {

/// Measures for how long a running attempt has done nothing that can be seen from outside: it wrote
/// no output, told nothing about itself, computed next to nothing and moved next to no bytes of
/// files. One that waits for a peer and one that has nothing to do look the same from here: what it
/// means is judged where all attempts are known. A value.
class QuietWatch {
 public:
  /// What the attempt has done since its start.
  struct Signs {
    Duration cpu{};
    uint64_t output_bytes = 0;
    uint64_t moved_bytes = 0;  ///< That its processes have read and written.
    uint64_t told = 0;         ///< Values that it reported: steps, losses.
  };

  /// Takes a measurement; returns for how long it has been quiet, and how long it ever was before
  /// it went on.
  [[nodiscard]] wire::Quiet look(HostTime now, const Signs& signs);

 private:
  [[nodiscard]] bool moves(const Signs& signs, Duration quiet) const;

  std::optional<HostTime> since_;  ///< When it was last seen to do something.
  Signs then_;                     ///< What it had done by then.
  Duration longest_{};
};

}  // namespace muster::agent
