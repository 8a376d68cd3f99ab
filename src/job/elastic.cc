#include "job/elastic.h"

#include "job/machine_impl.h"

/// Roles of tasks_min..tasks: more join when they are granted, fewer go on when restarts are spent.
/// What that means for those that run is the membership's: an elastic role's live on with a new
/// view, a static role's all start again with whoever is there.
namespace muster::job {

bool ranges(const Plan& plan, RoleIndex role) {
  return plan.role(role).tasks_min < plan.role(role).tasks;
}

bool changes_together(const Plan& plan, RoleIndex role) {
  return ranges(plan, role) && plan.role(role).membership == spec::Membership::Static &&
         plan.barrier == spec::Barrier::Gang;
}

// Can the role lose one more of its tasks?
bool Machine::Impl::can_shrink(RoleIndex role) {
  const RolePlan& role_plan = plan.role(role);
  const Standing& each = standing(role);
  return ranges(plan, role) && role_plan.tasks - each.failed - each.stopped > role_plan.tasks_min;
}

// One that a cohort waited for beyond the minimum may not come any more.
void Machine::Impl::note_leaving(TaskId id) {
  if (intent(id).cohort != 0 && changes_together(plan, id.role)) {
    openings.push_back(intent(id).cohort);
  }
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
