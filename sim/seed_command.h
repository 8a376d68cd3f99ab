#pragma once

#include "sim/core/faults.h"

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

/// One run that a command line asks for.
struct SeedRun {
  uint64_t seed = 0;
  std::set<Fault> without;
  bool trace = false;
};

/// What became of it.
struct SeedResult {
  std::string failure;  ///< "checker: what is broken"; empty: all is well.
  std::string faults;
  uint64_t hash = 0;
  uint64_t facts = 0;
  std::set<std::string> probes;
};

/// What a program of seeds consists of: core_sim and full_sim differ in nothing else.
struct SeedCommand {
  std::string program;
  std::function<SeedResult(const SeedRun&)> run;
  /// The most faults that can be taken away while the run still fails alike.
  std::function<std::set<Fault>(const SeedRun&)> shrink;
  std::span<const std::string_view> probes;  ///< What --probes demands; may be empty.
};

/// Performs a command line and returns the exit status: 1 if a seed failed, 2 for words that mean
/// nothing.
///
///     PROGRAM --seeds 1..500 --twice      run each twice; the runs must be the same
///     PROGRAM --seeds 1..10000 --probes   also demand that every probe is reached
///     PROGRAM --replay FILE               the seeds of a file: a number first on each line, or a #
///     PROGRAM --seeds 1..500 --brief      end at the first failure, in one line
///     PROGRAM --seed 17 --trace           one seed, with everything that happens
///     PROGRAM --seed 17 --without host-dies,preemption
///
/// A failure is shrunk to the fewest kinds of faults and printed with the command that repeats it.
[[nodiscard]] int main_of(const SeedCommand& command, const std::vector<std::string_view>& words);

}  // namespace muster::sim
