#include "framework/rendezvous.h"

#include "framework/framework.h"

#include <algorithm>
#include <string>
#include <vector>

namespace muster::framework {

void add_rendezvous_port(job::Plan& plan) {
  auto role = std::ranges::find(plan.roles, true, &job::RolePlan::ranked);
  if (plan.chief && plan.role(plan.chief->role).ranked) {
    role = plan.roles.begin() + plan.chief->role.value;
  }
  if (role != plan.roles.end() &&
      std::ranges::find(role->ports, kRendezvousPort) == role->ports.end()) {
    role->ports.emplace_back(kRendezvousPort);
  }
}

bool serves_rendezvous(const job::Plan& plan, const job::View& view, job::TaskId task) {
  const Framework* const row = find_framework(plan.spec.framework);
  if (row == nullptr || !row->has_rendezvous) {
    return false;
  }
  const TaskContext context{.task = task, .checkpoint_dir = {}, .view_file = {}};
  const Result<Seat> seat = find_seat(plan, view, context);
  return seat.has_value() && seat->rank() == size_t{0};
}

}  // namespace muster::framework
