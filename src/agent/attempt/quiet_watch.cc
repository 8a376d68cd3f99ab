#include "agent/attempt/quiet_watch.h"

#include "agent/attempt/allowance.h"

#include <algorithm>
#include <chrono>

namespace muster::agent {
namespace {

/// What heartbeats and timers of an idle program take: a hundredth of one core.
constexpr int64_t kIdleShare = 100;
constexpr Duration kIdleMin = std::chrono::milliseconds(50);
/// Bytes of its libraries that a starting program reads for each page that is new to it: 80 for
/// `sleep`, 75 for curl. A program that reads files has few such pages, and one that fills memory
/// reads nothing for them.
constexpr uint64_t kStartBytesPerFaultMin = 48;
constexpr uint64_t kStartBytesPerFaultMax = 128;
/// The time that it computes for each such page: 20 µs on a busy host.
constexpr int64_t kStartMicrosecondsPerFault = 20;

}  // namespace

bool QuietWatch::moves(const LifeSigns& signs, Duration quiet) const {
  const uint64_t moved = signs.moved_bytes - std::min(signs.moved_bytes, then_.moved_bytes);
  const uint64_t faults = signs.faults - std::min(signs.faults, then_.faults);
  const uint64_t of_starts = std::min(faults, moved / kStartBytesPerFaultMin);
  const Allowance files = {.at_once = kIdleFileBytes.at_once + kStartBytesPerFaultMax * faults,
                           .per_second = kIdleFileBytes.per_second};
  const Duration cpu =
      quiet / kIdleShare + kIdleMin +
      std::chrono::microseconds(kStartMicrosecondsPerFault * static_cast<int64_t>(of_starts));
  // The sum of processor time can fall, as sums of bytes can (see Allowance).
  return signs.gpu_busy || signs.output_bytes != then_.output_bytes || signs.told != then_.told ||
         signs.cpu + kIdleMin < then_.cpu || signs.cpu > then_.cpu + cpu ||
         files.exceeded(then_.moved_bytes, signs.moved_bytes, quiet);
}

wire::Pause QuietWatch::look(HostTime now, const LifeSigns& signs) {
  if (!clock_.running() || moves(signs, clock_.length(now))) {
    clock_.happened(now);
    then_ = signs;
  }
  return clock_.pause(now);
}

}  // namespace muster::agent
