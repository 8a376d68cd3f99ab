#pragma once

#include "sim/seed_run.h"

#include <span>
#include <string_view>

namespace muster::sim {

/// Returns the rare branches that a suite of seeds must reach: those of the machine, and those of
/// the shells, which are recognised by the events in their logs.
[[nodiscard]] std::span<const std::string_view> full_probes();

/// Runs one seed with the real shells: a phase with faults, then one without, in which the job must
/// end within a bound.
[[nodiscard]] SeedResult run_full(const SeedRun& seed);

}  // namespace muster::sim
