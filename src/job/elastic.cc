#include "job/elastic.h"

namespace muster::job {

bool ranges(const Plan& plan, RoleIndex role) {
  return plan.role(role).tasks_min < plan.role(role).tasks;
}

bool changes_together(const Plan& plan, RoleIndex role) {
  return ranges(plan, role) && plan.role(role).membership == spec::Membership::Static &&
         plan.barrier == spec::Barrier::Gang;
}

}  // namespace muster::job
