#include "testing/scenario.h"

#include "base/text.h"
#include "testing/scenario_action.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::testing {

namespace {

Error at_line(std::string_view file, uint32_t line, const Error& error) {
  return user_error(fmt::format("{}:{}: {}", file, line, error.message));
}

/// Splits a list at semicolons, without blanks and empty parts.
std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items;
  for (const std::string_view part : split(text, ';')) {
    if (!trim(part).empty()) {
      items.emplace_back(trim(part));
    }
  }
  return items;
}

/// Returns the first word of a line, and the rest after the blanks.
std::pair<std::string_view, std::string_view> cut_word(std::string_view line) {
  const size_t blank = line.find(' ');
  if (blank == std::string_view::npos) {
    return {line, {}};
  }
  return {line.substr(0, blank), trim(line.substr(blank))};
}

Status add_step(Scenario& scenario, uint32_t number, std::string_view word, std::string_view rest) {
  ScenarioStep step{.line = number};
  std::string_view expected;
  if (word == "expect") {
    step.expects = true;
    expected = rest;
  } else {
    const std::string padded = fmt::format(" {} ", rest);
    const size_t at = padded.find(" expect ");
    step.expects = at != std::string::npos;
    step.when = trim(std::string_view(padded).substr(0, at));
    if (step.expects) {
      expected = rest.substr(std::min(rest.size(), at + 7));
    }
    if (step.when.empty()) {
      return user_error("'when' without a fact");
    }
  }
  if (trim(expected) != "nothing") {
    step.expected = items_of(expected);
    if (step.expects && step.expected.empty()) {
      return user_error("'expect' without anything; write 'expect nothing'");
    }
  }
  scenario.steps.push_back(std::move(step));
  return {};
}

Status add_line(Scenario& scenario, uint32_t number, std::string_view line) {
  const auto [word, rest] = cut_word(line);
  if (word == "given") {
    for (const std::string& setting : words_of(rest)) {
      if (setting != "roles") {
        MUSTER_TRY_STATUS(give(scenario.plan, setting));
      }
    }
    return {};
  }
  if (word == "when" || word == "expect") {
    return add_step(scenario, number, word, rest);
  }
  return user_error(fmt::format("'{}' starts no line; given, when and expect do", word));
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view file, std::string_view text) {
  Scenario scenario;
  scenario.file = std::string(file);
  scenario.plan.job = job::JobId("scenario-000000");
  scenario.plan.deadlines.join.reset();
  std::vector<std::pair<uint32_t, std::string>> lines;
  uint32_t number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty()) {
      continue;
    }
    if (line.starts_with('#')) {
      if (scenario.description.empty()) {
        scenario.description = trim(line.substr(1));
      }
      continue;
    }
    const bool continues = raw.starts_with(' ') || raw.starts_with('\t');
    if (continues && !lines.empty()) {
      lines.back().second += fmt::format(" {}", line);
    } else {
      lines.emplace_back(number, line);
    }
  }
  if (scenario.description.empty()) {
    return user_error(
        fmt::format("{}:1: the first line must be '# what this scenario shows'", file));
  }
  for (const auto& [at, line] : lines) {
    if (const Status added = add_line(scenario, at, line); !added) {
      return at_line(file, at, added.error());
    }
  }
  if (scenario.plan.roles.empty() || scenario.steps.empty()) {
    return user_error(fmt::format("{}:{}: a scenario needs roles and steps", file, number));
  }
  return scenario;
}

}  // namespace muster::testing
