// full_sim: runs seeds of the simulated world against the real shells of master and agent. The
// words of its command line are those of core_sim (sim/seed_command.h).

#include "sim/full/full_run.h"
#include "sim/seed_command.h"

int main(int argc, char** argv) {
  using muster::sim::FullOptions;
  const muster::sim::SeedCommand command{
      .program = "full_sim",
      .run =
          [](const muster::sim::SeedRun& seed) {
            const auto result = muster::sim::run_full({seed.seed, seed.without, seed.trace});
            return muster::sim::SeedResult{.failure = result.failure,
                                           .faults = result.faults,
                                           .hash = result.hash,
                                           .facts = result.facts,
                                           .probes = result.probes};
          },
      .shrink =
          [](const muster::sim::SeedRun& seed) {
            return muster::sim::shrink(FullOptions{seed.seed, seed.without, false}).without;
          },
      .probes = muster::sim::full_probes()};
  return muster::sim::main_of(command, {argv + 1, argv + argc});
}
