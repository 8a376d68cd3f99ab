#pragma once

#include "sim/seed_run.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

/// What a program that runs seeds consists of: core_sim and full_sim differ in nothing else.
struct SeedCommand {
  std::string program;
  std::function<SeedResult(const SeedRun&)> run;
  bool has_yarn = false;                     ///< Knows --yarn.
  std::span<const std::string_view> probes;  ///< What --probes demands; may be empty.
};

/// Performs a command line and returns the exit status: 1 if a seed failed, 2 for arguments that
/// are not understood.
///
///     PROGRAM --seeds 1..500 --twice      run each twice; the runs must be the same
///     PROGRAM --seeds 1..10000 --probes   also demand that every probe is reached
///     PROGRAM --replay FILE               the seeds of a file: a number first on each line, or a #
///     PROGRAM --seeds 1..500 --hashes     print the hash of each seed, to compare two builds
///     PROGRAM --seeds 1..500 --brief      end at the first failure, in one line
///     PROGRAM --seed 17 --trace           one seed, with everything that happens
///     PROGRAM --seed 17 --without host-dies,preemption
///     PROGRAM --yarn ...                  the same on YARN, behind its real link
///
/// A failure is shrunk to the fewest kinds of faults and printed with the command that repeats it.
[[nodiscard]] int main_of(const SeedCommand& command, const std::vector<std::string_view>& words);

}  // namespace muster::sim
