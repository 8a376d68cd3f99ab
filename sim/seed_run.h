#pragma once

#include "sim/faults.h"

#include <cstdint>
#include <set>
#include <string>

namespace muster::sim {

/// One simulated job, of core_sim or of full_sim.
struct SeedRun {
  uint64_t seed = 0;
  std::set<Fault> without;  ///< Faults kept off, to find the smallest set that still fails.
  bool yarn = false;        ///< Only in full_sim: the cluster is YARN, behind its real link.
  bool trace = false;       ///< Print every fact with its actions, and what the shells log.
};

/// The result of such a run.
struct SeedResult {
  std::string failure;  ///< "checker: what is broken"; empty: all is well.
  std::string faults;   ///< Those that the seed drew.
  uint64_t hash = 0;    ///< Over everything that happened.
  uint64_t steps = 0;   ///< Events in the world.
  uint64_t facts = 0;
  std::set<std::string> probes;  ///< Rare branches that were reached, and others.
};

}  // namespace muster::sim
