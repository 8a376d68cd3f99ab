#pragma once

#include "sim/seed_run.h"

namespace muster::sim {

/// Runs one seed with the real machine and liveness: a phase with faults, then one without, in
/// which the job must end within a bound.
[[nodiscard]] SeedResult run_core(const SeedRun& seed);

}  // namespace muster::sim
