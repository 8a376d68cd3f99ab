#include "stacks/collective_suspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace muster::stacks {
namespace {

struct Stand {
  size_t subject = 0;
  const Collectives* collectives = nullptr;
};

std::string tasks_text(std::span<const Subject> subjects, const std::vector<Stand>& stands) {
  std::vector<size_t> members;
  std::ranges::transform(stands, std::back_inserter(members), &Stand::subject);
  return join_tasks(subjects, members);
}

/// Returns what all ranks must agree on: the call and, for some calls, the sizes of their tensors.
std::string kind_of(const Collectives& collectives) {
  const std::string& call = collectives.call;
  const bool alike = call == "all_reduce" || call == "allreduce" || call == "broadcast" ||
                     call == "reduce" || call == "reduce_scatter";
  return alike && !collectives.sizes.empty() ? fmt::format("{} of {}", call, collectives.sizes)
                                             : call;
}

/// For ranks that have come equally far: finds those that are in another call than most.
std::optional<Laggard> misled_of(std::span<const Subject> subjects, const std::string& group,
                                 const std::vector<Stand>& stands) {
  std::map<std::string, std::vector<Stand>> by_kind;
  for (const Stand& stand : stands) {
    by_kind[kind_of(*stand.collectives)].push_back(stand);
  }
  if (by_kind.size() < 2) {
    return std::nullopt;
  }
  const auto fewest =
      std::ranges::min_element(by_kind, {}, [](const auto& entry) { return entry.second.size(); });
  std::string text;
  for (const auto& [kind, members] : by_kind) {
    const std::string& place = members.front().collectives->place;
    text += fmt::format("{} {} {} in {}{}", text.empty() ? "" : ",", tasks_text(subjects, members),
                        members.size() == 1 ? "is" : "are", kind,
                        place.empty() ? "" : fmt::format(" ({})", place));
  }
  const bool alone = 2 * fewest->second.size() < stands.size();
  return Laggard{.subject = alone ? std::optional(fewest->second.front().subject) : std::nullopt,
                 .evidence = fmt::format("flight recorder: call {} of process group {} is not the "
                                         "same on all ranks:{}",
                                         stands.front().collectives->entered,
                                         group.empty() ? "0" : group, text)};
}

std::optional<Laggard> laggard_of(std::span<const Subject> subjects, const std::string& group,
                                  const std::vector<Stand>& stands) {
  const auto entered = [](const Stand& stand) { return stand.collectives->entered; };
  const Stand& front = *std::ranges::max_element(stands, {}, entered);
  std::vector<Stand> ahead;
  std::vector<Stand> behind;
  for (const Stand& stand : stands) {
    (entered(stand) == entered(front) ? ahead : behind).push_back(stand);
  }
  // If the front ranks have completed it, they need nobody.
  if (2 * behind.size() > stands.size() || front.collectives->completed >= entered(front)) {
    return std::nullopt;
  }
  if (behind.empty()) {
    return misled_of(subjects, group, stands);
  }
  const Stand& last = *std::ranges::min_element(behind, {}, entered);
  return Laggard{.subject = last.subject,
                 .evidence = fmt::format(
                     "flight recorder: {} {} in {} (call {} of process group {}{}{}); {} never "
                     "entered it: its "
                     "last was {} (call {})",
                     tasks_text(subjects, ahead), ahead.size() == 1 ? "is" : "are",
                     front.collectives->call, entered(front), group.empty() ? "0" : group,
                     front.collectives->place.empty() ? "" : ", ", front.collectives->place,
                     tasks_text(subjects, behind), last.collectives->call, entered(last))};
}

}  // namespace

std::optional<Laggard> find_laggard(std::span<const Subject> subjects) {
  std::map<std::string, std::vector<Stand>> groups;
  for (size_t i = 0; i < subjects.size(); ++i) {
    for (const Collectives& each : subjects[i].report.collectives) {
      groups[each.group].push_back({.subject = i, .collectives = &each});
    }
  }
  for (const auto& [group, stands] : groups) {
    if (std::optional<Laggard> found = laggard_of(subjects, group, stands)) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace muster::stacks
