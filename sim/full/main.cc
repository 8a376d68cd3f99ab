// full_sim: runs seeds of the simulated world against the real shells of master and agent. Its
// arguments are those of core_sim (sim/seed_command.h).

#include "sim/full/full_run.h"
#include "sim/seed_command.h"

int main(int argc, char** argv) {
  return muster::sim::main_of({.program = "full_sim",
                               .run = muster::sim::run_full,
                               .has_yarn = true,
                               .probes = muster::sim::full_probes()},
                              {argv + 1, argv + argc});
}
