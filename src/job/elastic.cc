#include "job/machine_impl.h"

/// Elastic roles live with tasks_min..tasks: more join when they are granted, fewer go on when
/// restarts are spent.
namespace muster::job {

// Can the role lose one more of its tasks?
bool Machine::Impl::can_shrink(RoleIndex role) {
  const RolePlan& role_plan = plan.role(role);
  const Standing& each = standing(role);
  return role_plan.membership == spec::Membership::Elastic &&
         role_plan.tasks - each.failed - each.stopped > role_plan.tasks_min;
}

// One has finished the work: whoever has not started yet would come to an empty table.
void Machine::Impl::stop_growing(RoleIndex role) {
  std::vector<Move> moves;
  for (const Task& each : state.tasks[role.value]) {
    Intent& next = intent(each.id);
    const Attempt* attempt = live_attempt(each.id);
    if (attempt == nullptr && each.state == TaskState::Waiting) {
      abandon(each.id, TaskState::Stopped);
    } else if (attempt != nullptr && attempt->generation.value == 0) {
      next.given_up = true;
      next.leaves = true;
      leave_cohort(each.id);
      moves.push_back({.task = each.id, .reason = StopReason::Shrink});
    }
  }
  tell_to_stop(moves);
}

}  // namespace muster::job
