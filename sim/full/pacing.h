#pragma once

#include "job/plan.h"
#include "sim/faults.h"
#include "sim/full/process_loop.h"
#include "sim/world.h"

#include <map>
#include <string>

namespace muster::sim {

/// The clocks of a run's hosts, the speed of their disks, and that of the network between them.
class Pacing {
 public:
  Pacing(World& world, Faults& faults, const job::LivenessPlan& liveness);

  /// Returns the pace of a process that starts on this host; all processes of a host have one wall
  /// clock.
  [[nodiscard]] ProcessLoop::Pace pace_of(const std::string& host);
  /// Returns how long the next message is on its way. Slow messages alone never make an agent
  /// silent for as long as a lost one is, for then nobody would be to blame: between its hello and
  /// its first beat the master hears nothing while its welcome is on the way, and then that beat.
  [[nodiscard]] Duration travel();

 private:
  World& world_;
  Faults& faults_;
  Duration slowest_;
  std::map<std::string, Duration> wall_offsets_;
};

}  // namespace muster::sim
