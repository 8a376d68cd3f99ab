#pragma once

#include "base/result.h"
#include "job/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::testing {

/// One line of a scenario, with the lines that continue it.
struct ScenarioStep {
  uint32_t line = 0;
  std::string when;      ///< The facts, as written; empty for a line that only expects.
  bool expects = false;  ///< The line contains `expect`.
  /// The parts between the semicolons; empty for `expect nothing`.
  std::vector<std::string> expected;
};

/// A scenario file (test/scenario/README.md has the whole language):
///
///     # worker lost while gathering is replaced; the barrier waits
///     given  roles worker=2 restart.container=1
///     when   started                expect request r1 worker; request r2 worker
///     when   granted r1 c1          expect launch c1
struct Scenario {
  std::string file;
  std::string description;
  job::Plan plan;
  std::vector<ScenarioStep> steps;
};

/// Parses `text`. Errors read "file:line: what is wrong".
[[nodiscard]] Result<Scenario> parse_scenario(std::string_view file, std::string_view text);

/// Adds one `key=value` of a `given` line to the plan.
[[nodiscard]] Status give(job::Plan& plan, std::string_view setting);

/// Plays the scenario against a fresh machine. Returns what differed, each as "file:line: ..."; the
/// first difference ends the play.
[[nodiscard]] std::vector<std::string> play(const Scenario& scenario);

}  // namespace muster::testing
