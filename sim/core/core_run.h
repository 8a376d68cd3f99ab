#pragma once

#include "sim/core/faults.h"

#include <cstdint>
#include <set>
#include <string>

namespace muster::sim {

/// One simulated job.
struct CoreOptions {
  uint64_t seed = 0;
  std::set<Fault> without;  ///< Faults kept off, to find the smallest set that still fails.
  bool trace = false;       ///< Print every fact and action.
};

struct CoreResult {
  std::string failure;  ///< "checker: what is broken"; empty: all is well.
  std::string faults;   ///< Those that the seed drew.
  uint64_t hash = 0;    ///< Of everything that happened.
  uint64_t steps = 0;   ///< Events of the world.
  uint64_t facts = 0;
  std::set<std::string> probes;  ///< Rare branches that were reached.
};

/// Runs one seed: a phase with faults, then one without, in which the job must end within a bound.
[[nodiscard]] CoreResult run_core(const CoreOptions& options);

/// Takes faults away as long as the seed still fails with the same checker; returns the options of
/// the smallest failing run.
[[nodiscard]] CoreOptions shrink(const CoreOptions& failing);

}  // namespace muster::sim
