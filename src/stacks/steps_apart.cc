#include "stacks/steps_apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <vector>

namespace muster::stacks {
namespace {

/// How many different steps are named.
constexpr size_t kShownMax = 4;

}  // namespace

std::optional<StepsApart> find_steps_apart(std::span<const Subject> subjects) {
  std::map<double, std::vector<size_t>> by_step;
  size_t count = 0;
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (!subjects[i].needed) {
      continue;
    }
    if (!subjects[i].step) {
      return std::nullopt;
    }
    by_step[*subjects[i].step].push_back(i);
    ++count;
  }
  if (by_step.size() < 2) {
    return std::nullopt;
  }
  StepsApart apart{.odd = std::nullopt, .line = "steps reported:"};
  const auto usual =
      std::ranges::max_element(by_step, {}, [](const auto& entry) { return entry.second.size(); });
  if (2 * usual->second.size() > count) {
    // A task that is behind keeps the others waiting; one that is ahead has left something out.
    const auto& odd = usual == by_step.begin() ? *std::next(usual) : *by_step.begin();
    apart.odd = odd.second.front();
  }
  size_t shown = 0;
  for (const auto& [step, members] : by_step | std::views::reverse) {
    if (++shown > kShownMax) {
      apart.line += ", others at earlier ones";
      break;
    }
    apart.line +=
        fmt::format("{} {} at {}", shown == 1 ? "" : ",", join_tasks(subjects, members), step);
  }
  return apart;
}

}  // namespace muster::stacks
