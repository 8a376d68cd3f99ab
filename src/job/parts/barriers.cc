#include "job/parts/barriers.h"

#include "job/parts/machine_parts.h"

#include <algorithm>

namespace muster::job {

void Barriers::open_if_complete(uint32_t cohort) {
  if (parts_.lives.stopping() || parts_.roles.decided()) {
    return;
  }
  const auto returns = [&](TaskId id) {
    return parts_.places.of(id).at_home && parts_.asks.of(id).placement == Placement::SameSlot;
  };
  // Evaluated whenever a task joins: the checks that look at every task of the cohort come last.
  const Gangs::Barrier barrier = parts_.gangs.look_at(cohort, returns);
  if (barrier == Gangs::Barrier::Shut || is_fenced(cohort)) {
    return;
  }
  if (barrier == Gangs::Barrier::JoinsAGang && parts_.restarts.regroup({})) {
    return;
  }
  parts_.gangs.open(cohort);
  for (const TaskId id : parts_.roles.close_generation()) {
    parts_.attempts.make_final(id);
  }
  parts_.ending.watch_run();
  if (parts_.state.phase == JobPhase::Gathering && !parts_.gangs.gang_waits()) {
    parts_.lives.move(JobPhase::Running);
  }
}

// Returns whether a task that would start now has an earlier attempt that may still be running.
bool Barriers::is_fenced(uint32_t cohort_id) const {
  const Cohort* cohort = parts_.gangs.find(cohort_id);
  return cohort != nullptr && std::ranges::any_of(cohort->tasks, [&](TaskId id) {
           return parts_.gangs.of(id).cohort == cohort_id && parts_.gangs.of(id).joined &&
                  parts_.fence.holds(id);
         });
}

std::string Barriers::wait_of_the_fenced() const {
  for (const AttemptId& old : parts_.fence.watched()) {
    if (parts_.gangs.of(old.task).joined) {
      return parts_.fence.wait_of(old.task);
    }
  }
  return {};
}

}  // namespace muster::job
