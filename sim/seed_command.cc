#include "sim/seed_command.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace muster::sim {
namespace {

constexpr int kReportedMax = 5;

struct Arguments {
  std::vector<uint64_t> seeds;
  std::set<Fault> without;
  bool trace = false;
  bool yarn = false;
  bool probes = false;
  bool twice = false;
  bool brief = false;
  bool hashes = false;
};

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

std::optional<Fault> fault_named(std::string_view name) {
  for (size_t i = 0; i < kFaultCount; ++i) {
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
  for (const std::string_view name : split(text, ',')) {
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
    } else if (words[i] == "--yarn") {
      arguments.yarn = true;
    } else if (words[i] == "--probes") {
      arguments.probes = true;
    } else if (words[i] == "--brief") {
      arguments.brief = true;
    } else if (words[i] == "--twice") {
      arguments.twice = true;
    } else if (words[i] == "--hashes") {
      arguments.hashes = true;
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

std::string line_for(const SeedCommand& command, const SeedRun& run,
                     const std::set<Fault>& without) {
  std::string words;
  for (const Fault fault : without) {
    words += (words.empty() ? " --without " : ",") + std::string(to_string(fault));
  }
  return fmt::format("{}{} --seed {}{} --trace", command.program, run.yarn ? " --yarn" : "",
                     run.seed, words);
}

/// Returns the most kinds of faults that can be taken away, one after the other, while the run
/// still fails with the same checker.
std::set<Fault> spare_faults(const SeedCommand& command, SeedRun run, const std::string& failure,
                             std::string_view faults) {
  const std::string_view checker = std::string_view(failure).substr(0, failure.find(':') + 1);
  run.trace = false;
  for (size_t i = 0; i < kFaultCount; ++i) {
    const auto drawn = split(faults, ' ');
    if (std::ranges::find(drawn, to_string(static_cast<Fault>(i))) == drawn.end()) {
      continue;
    }
    SeedRun fewer = run;
    fewer.without.insert(static_cast<Fault>(i));
    if (command.run(fewer).failure.starts_with(checker)) {
      run = std::move(fewer);
    }
  }
  return run.without;
}

void report_failure(const SeedCommand& command, const SeedRun& run, const SeedResult& result) {
  fmt::print("seed {} failed: {}\n  faults: {}\n  again:  {}\n", run.seed, result.failure,
             result.faults,
             line_for(command, run, spare_faults(command, run, result.failure, result.faults)));
  std::fflush(stdout);
}

/// The result of all seeds.
struct Tally {
  std::set<std::string> reached;
  uint64_t facts = 0;
  int failed = 0;
};

/// Returns false when enough has failed.
bool run_one(const SeedCommand& command, const Arguments& arguments, uint64_t seed, Tally& tally) {
  const SeedRun run{seed, arguments.without, arguments.yarn, arguments.trace};
  const SeedResult result = command.run(run);
  tally.facts += result.facts;
  if (arguments.hashes) {
    fmt::print("{} {:016x}\n", seed, result.hash);
  }
  for (const std::string_view probe : command.probes) {
    if (const auto found = result.probes.find(std::string(probe)); found != result.probes.end()) {
      tally.reached.insert(*found);
    }
  }
  if (arguments.twice && command.run(run).hash != result.hash) {
    fmt::print("seed {} gave two different runs\n", seed);
    ++tally.failed;
  }
  if (result.failure.empty()) {
    return true;
  }
  ++tally.failed;
  if (arguments.brief) {
    fmt::print("seed {} failed: {}\n", seed, result.failure);
    return false;
  }
  report_failure(command, run, result);
  return tally.failed < kReportedMax;
}

}  // namespace

int main_of(const SeedCommand& command, const std::vector<std::string_view>& words) {
  const std::optional<Arguments> arguments = parse(words);
  if (!arguments || (arguments->yarn && !command.has_yarn)) {
    fmt::print(stderr,
               "usage: {} --seeds A..B|--replay FILE [--without FAULT,...] [--trace] [--probes] "
               "[--twice] [--brief] [--hashes]{}\n",
               command.program, command.has_yarn ? " [--yarn]" : "");
    return 2;
  }
  Tally tally;
  for (const uint64_t seed : arguments->seeds) {
    if (!run_one(command, *arguments, seed, tally)) {
      break;
    }
  }
  if (arguments->brief && tally.failed > 0) {
    return 1;
  }
  if (arguments->probes) {
    for (const std::string_view probe : command.probes) {
      if (!tally.reached.contains(std::string(probe))) {
        fmt::print("no seed reached the probe \"{}\"\n", probe);
        ++tally.failed;
      }
    }
  }
  const std::string probes =
      command.probes.empty()
          ? std::string()
          : fmt::format("{} of {} probes, ", tally.reached.size(), command.probes.size());
  fmt::print("{} seeds, {} facts, {}{} failed\n", arguments->seeds.size(), tally.facts, probes,
             tally.failed);
  return tally.failed == 0 ? 0 : 1;
}

}  // namespace muster::sim
