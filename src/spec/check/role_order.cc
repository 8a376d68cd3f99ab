#include "spec/check/role_order.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace muster::spec {
namespace {

/// Removes the roles that wait for no remaining role, until there are none. What remains contains
/// every cycle, and each role in it waits for another remaining one.
std::map<std::string_view, const Role*> entangled(const Spec& spec) {
  std::map<std::string_view, const Role*> left;
  for (const Role& role : spec.roles) {
    left[role.name] = &role;
  }
  const auto free = [&](const auto& entry) {
    return std::ranges::none_of(entry.second->after, [&](const After& after) {
      return after.role != entry.first && left.contains(after.role);
    });
  };
  while (std::erase_if(left, free) > 0) {
  }
  return left;
}

}  // namespace

std::vector<std::string> waiting_cycle(const Spec& spec) {
  const auto left = entangled(spec);
  if (left.empty()) {
    return {};
  }
  const auto first =
      std::ranges::find_if(spec.roles, [&](const Role& role) { return left.contains(role.name); });
  std::vector<std::string> path = {first->name};
  for (;;) {
    const Role& role = *left.at(path.back());
    const auto next = std::ranges::find_if(role.after, [&](const After& after) {
      return after.role != role.name && left.contains(after.role);
    });
    const auto seen = std::ranges::find(path, next->role);
    if (seen != path.end()) {
      path.erase(path.begin(), seen);
      path.push_back(next->role);
      return path;
    }
    path.push_back(next->role);
  }
}

}  // namespace muster::spec
