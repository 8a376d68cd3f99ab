// core_sim: runs seeds of the simulated world against the real machine. Its arguments are those of
// every program that runs seeds (sim/seed_command.h).

#include "sim/core/core_run.h"
#include "sim/core/probes.h"
#include "sim/seed_command.h"

int main(int argc, char** argv) {
  return muster::sim::main_of(
      {.program = "core_sim", .run = muster::sim::run_core, .probes = muster::sim::Probes::all()},
      {argv + 1, argv + argc});
}
