#include "sim/full/pacing.h"

#include <algorithm>

namespace muster::sim {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Pacing::Pacing(World& world, Faults& faults, const job::LivenessPlan& liveness)
    : world_(world),
      faults_(faults),
      slowest_(std::min(Duration(seconds(4)), liveness.lost / 2 - liveness.beat)) {}

ProcessLoop::Pace Pacing::pace_of(const std::string& host) {
  ProcessLoop::Pace pace;
  pace.booted = world_.random().between(Duration(seconds(10)), Duration(hours(100)));
  const auto [offset, is_new] = wall_offsets_.try_emplace(host);
  if (is_new && faults_.strikes(Fault::ClocksDiffer)) {
    offset->second = world_.random().between(Duration::zero(), Duration(hours(2))) - minutes(60);
  }
  pace.wall_offset = offset->second;
  pace.pool_takes = [this](Random& random) {
    if (!faults_.strikes(Fault::SlowDisk)) {
      return random.between(Duration(microseconds(50)), Duration(milliseconds(5)));
    }
    // A shared disk can hang for longer than anybody waits for it.
    return random.chance(10) ? random.between(Duration(seconds(4)), Duration(seconds(40)))
                             : random.between(Duration(milliseconds(100)), Duration(seconds(4)));
  };
  return pace;
}

Duration Pacing::travel() {
  Random& random = world_.random();
  return faults_.strikes(Fault::SlowMessages)
             ? random.between(Duration(milliseconds(100)), slowest_)
             : random.between(Duration(microseconds(100)), Duration(milliseconds(5)));
}

}  // namespace muster::sim
