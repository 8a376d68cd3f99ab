#include "client/submit/refusals.h"

#include "client/follow/progress.h"
#include "job/machine.h"

#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace muster::client {
namespace {

/// Returns the role that a request was for, while the machine still knows it.
std::optional<job::RoleIndex> role_of(const job::Machine& machine, job::RequestId request) {
  const auto found = machine.state().requests.find(request);
  return found == machine.state().requests.end() ? std::nullopt : std::optional(found->second.role);
}

}  // namespace

std::vector<std::string> standing_refusals(const job::Plan& plan,
                                           const std::vector<eventlog::Record>& records) {
  job::Machine machine(plan);
  std::map<job::RoleIndex, std::string> standing;
  for (const eventlog::Record& record : records) {
    const auto* const refused = std::get_if<job::RequestRefused>(&record.fact);
    const auto* const granted = std::get_if<job::ContainerGranted>(&record.fact);
    std::optional<job::RoleIndex> role;
    if (refused != nullptr) {
      role = role_of(machine, refused->request);
    } else if (granted != nullptr) {
      role = role_of(machine, granted->request);
    }
    (void)machine.apply(record.at, record.fact);
    if (!role.has_value()) {
      continue;
    }
    const std::optional<std::string> words =
        refused == nullptr ? std::nullopt : narrate(machine, record.fact);
    if (words.has_value()) {
      standing[*role] = *words;
    } else {
      standing.erase(*role);
    }
  }
  std::vector<std::string> all;
  for (auto& [role, words] : standing) {
    all.push_back(std::move(words));
  }
  return all;
}

}  // namespace muster::client
