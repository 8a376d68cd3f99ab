#include "sim/core/core_run.h"
#include "sim/core/probes.h"

#include <gtest/gtest.h>

namespace muster::sim {
namespace {

TEST(CoreSim, TheSameSeedGivesTheSameRun) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SeedResult once = run_core({.seed = seed, .without = {}, .trace = false});
    const SeedResult again = run_core({.seed = seed, .without = {}, .trace = false});
    EXPECT_EQ(once.hash, again.hash) << "seed " << seed;
    EXPECT_EQ(once.steps, again.steps) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster::sim
