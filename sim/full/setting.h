#pragma once

#include "job/plan.h"
#include "master/master.h"
#include "sim/core/truth.h"
#include "sim/faults.h"
#include "sim/full/pacing.h"
#include "sim/full/process_loop.h"
#include "sim/full/shell_log.h"
#include "sim/seed_run.h"
#include "sim/world.h"
#include "testing/memory_transport.h"

namespace muster::sim {

/// What a seed makes of a run before anybody acts, and what all parts of the run share: its world
/// and network, its job, the faults that may strike, and what really happens.
struct Setting {
  explicit Setting(const SeedRun& seed);
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  // In the order in which they draw from the seed.
  World world;
  master::MasterOptions master_options;  ///< For each master.
  job::Plan plan;
  Faults faults;
  bool agents_start_masters;  ///< As on the local cluster; otherwise the cluster does.
  ProcessLoop network_loop;
  testing::MemoryNetwork network;
  Pacing pacing;
  ShellLog log;
  Truth truth;
};

}  // namespace muster::sim
