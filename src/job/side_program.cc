#include "job/side_program.h"

namespace muster::job {

bool has_side_program(const Plan& plan, TaskId task) {
  return plan.spec.tensorboard.has_value() && plan.chief == task &&
         !plan.find_role("tensorboard").has_value();
}

uint64_t side_memory_bytes(const Plan& plan, const RolePlan& role) {
  const bool chiefs = plan.chief && &plan.role(plan.chief->role) == &role;
  return chiefs && has_side_program(plan, *plan.chief) ? kSideProgramMemoryBytes : 0;
}

}  // namespace muster::job
