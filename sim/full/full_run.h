#pragma once

#include "sim/core/faults.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace muster::sim {

/// One simulated job with the real shells.
struct FullOptions {
  uint64_t seed = 0;
  std::set<Fault> without;  ///< Faults kept off, to find the smallest set that still fails.
  bool trace = false;       ///< Print every logged fact with its actions, and what the shells log.
};

struct FullResult {
  std::string failure;  ///< "checker: what is broken"; empty: all is well.
  std::string faults;   ///< Those that the seed drew.
  uint64_t hash = 0;    ///< Of everything that happened.
  uint64_t steps = 0;   ///< Events of the world.
  uint64_t facts = 0;
  uint64_t masters = 0;          ///< How many there were.
  std::set<std::string> probes;  ///< Those of full_probes() that the run reached, and others.
};

/// The rare branches that a suite of seeds must reach: of the machine, and of the shells, told by
/// the events in their logs.
[[nodiscard]] std::span<const std::string_view> full_probes();

/// Runs one seed: a phase with faults, then one without, in which the job must end within a bound.
[[nodiscard]] FullResult run_full(const FullOptions& options);

/// Takes faults away as long as the seed still fails with the same checker; returns the options of
/// the smallest failing run.
[[nodiscard]] FullOptions shrink(const FullOptions& failing);

}  // namespace muster::sim
