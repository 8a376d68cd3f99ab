// core_sim: runs seeds of the simulated world against the real machine.
//
//   core_sim --seeds 1..500 --twice      run each twice; the runs must be the same
//   core_sim --seeds 1..10000 --probes   also demand that every probe is reached
//   core_sim --replay FILE               the seeds of a file: a number first on each line, or a #
//   core_sim --seeds 1..500 --brief      end at the first failure, in one line
//   core_sim --seed 17 --trace           one seed, with every fact and action
//   core_sim --seed 17 --without host-dies,preemption
//
// A failure is shrunk to the fewest kinds of faults and printed with the command that repeats it.

#include "base/text.h"
#include "sim/core/core_run.h"
#include "sim/core/probes.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using muster::sim::CoreOptions;
using muster::sim::CoreResult;
using muster::sim::Fault;

struct Arguments {
  std::vector<uint64_t> seeds;
  std::set<Fault> without;
  bool trace = false;
  bool probes = false;
  bool twice = false;
  bool brief = false;
};

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

std::optional<Fault> fault_named(std::string_view name) {
  for (size_t i = 0; i < muster::sim::kFaultCount; ++i) {
    if (to_string(static_cast<Fault>(i)) == name) {
      return static_cast<Fault>(i);
    }
  }
  return std::nullopt;
}

bool take_range(std::string_view text, Arguments& arguments) {
  const size_t dots = text.find("..");
  const auto first = number(text.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : number(text.substr(dots + 2));
  if (!first || !last) {
    return false;
  }
  for (uint64_t seed = *first; seed <= *last; ++seed) {
    arguments.seeds.push_back(seed);
  }
  return true;
}

bool take_file(std::string_view path, Arguments& arguments) {
  std::ifstream file{std::string(path)};
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const auto seed = number(std::string_view(line).substr(0, line.find(' ')));
    if (!seed) {
      return false;
    }
    arguments.seeds.push_back(*seed);
  }
  return !arguments.seeds.empty();
}

bool take_without(std::string_view text, Arguments& arguments) {
  for (const std::string_view name : muster::split(text, ',')) {
    const auto fault = fault_named(name);
    if (!fault) {
      return false;
    }
    arguments.without.insert(*fault);
  }
  return true;
}

std::optional<Arguments> parse(const std::vector<std::string_view>& words) {
  Arguments arguments;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--trace") {
      arguments.trace = true;
    } else if (words[i] == "--probes") {
      arguments.probes = true;
    } else if (words[i] == "--brief") {
      arguments.brief = true;
    } else if (words[i] == "--twice") {
      arguments.twice = true;
    } else if ((words[i] == "--seed" || words[i] == "--seeds") && has_value) {
      if (!take_range(words[++i], arguments)) {
        return std::nullopt;
      }
    } else if (words[i] == "--replay" && has_value) {
      if (!take_file(words[++i], arguments)) {
        return std::nullopt;
      }
    } else if (words[i] == "--without" && has_value) {
      if (!take_without(words[++i], arguments)) {
        return std::nullopt;
      }
    } else {
      return std::nullopt;
    }
  }
  return arguments.seeds.empty() ? std::nullopt : std::optional(arguments);
}

std::string command_for(const CoreOptions& options) {
  std::string without;
  for (const Fault fault : options.without) {
    without += (without.empty() ? " --without " : ",") + std::string(to_string(fault));
  }
  return fmt::format("core_sim --seed {}{} --trace", options.seed, without);
}

int report_failure(const CoreOptions& options, const CoreResult& result) {
  CoreOptions quiet = options;
  quiet.trace = false;
  const CoreOptions smallest = muster::sim::shrink(quiet);
  fmt::print("seed {} failed: {}\n  faults: {}\n  again:  {}\n", options.seed, result.failure,
             result.faults, command_for(smallest));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = parse({argv + 1, argv + argc});
  if (!arguments) {
    fmt::print(stderr,
               "usage: core_sim --seeds A..B|--replay FILE [--without FAULT,...] [--trace] "
               "[--probes] [--twice] [--brief]\n");
    return 2;
  }
  std::set<std::string> reached;
  uint64_t facts = 0;
  int failed = 0;
  for (const uint64_t seed : arguments->seeds) {
    const CoreOptions options{
        .seed = seed, .without = arguments->without, .trace = arguments->trace};
    const CoreResult result = run_core(options);
    facts += result.facts;
    if (arguments->twice && run_core(options).hash != result.hash) {
      fmt::print("seed {} gave two different runs\n", seed);
      ++failed;
    }
    reached.insert(result.probes.begin(), result.probes.end());
    if (!result.failure.empty()) {
      ++failed;
      if (arguments->brief) {
        fmt::print("seed {} failed: {}\n", seed, result.failure);
        return 1;
      }
      report_failure(options, result);
      if (failed == 5) {
        break;
      }
    }
  }
  if (arguments->probes) {
    for (const std::string_view probe : muster::sim::Probes::all()) {
      if (!reached.contains(std::string(probe))) {
        fmt::print("no seed reached the probe \"{}\"\n", probe);
        ++failed;
      }
    }
  }
  fmt::print("{} seeds, {} facts, {} of {} probes, {} failed\n", arguments->seeds.size(), facts,
             reached.size(), muster::sim::Probes::all().size(), failed);
  return failed == 0 ? 0 : 1;
}
