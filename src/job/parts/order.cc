#include "job/parts/order.h"

#include <algorithm>

namespace muster::job {

std::vector<uint32_t> levels_of(const Plan& plan) {
  std::vector<uint32_t> levels(plan.roles.size(), 0);
  // A chain is shorter than the number of roles; a cycle, which the spec rejects, merely stops
  // growing here.
  for (size_t pass = 0; pass < plan.roles.size(); ++pass) {
    for (size_t i = 0; i < plan.roles.size(); ++i) {
      for (const After& after : plan.roles[i].after) {
        levels[i] = std::max(levels[i], levels[after.role.value] + 1);
      }
    }
  }
  return levels;
}

}  // namespace muster::job
