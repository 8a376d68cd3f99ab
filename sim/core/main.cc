// core_sim: runs seeds of the simulated world against the real machine. The words of its command
// line are those of every program of seeds (sim/seed_command.h).

#include "sim/core/core_run.h"
#include "sim/core/probes.h"
#include "sim/seed_command.h"

int main(int argc, char** argv) {
  using muster::sim::CoreOptions;
  const muster::sim::SeedCommand command{
      .program = "core_sim",
      .run =
          [](const muster::sim::SeedRun& seed) {
            const auto result = muster::sim::run_core({seed.seed, seed.without, seed.trace});
            return muster::sim::SeedResult{.failure = result.failure,
                                           .faults = result.faults,
                                           .hash = result.hash,
                                           .facts = result.facts,
                                           .probes = result.probes};
          },
      .shrink =
          [](const muster::sim::SeedRun& seed) {
            return muster::sim::shrink(CoreOptions{seed.seed, seed.without, false}).without;
          },
      .probes = muster::sim::Probes::all()};
  return muster::sim::main_of(command, {argv + 1, argv + argc});
}
