#include "job/machine_impl.h"

#include <algorithm>

/// A gang without deadlock: what an incomplete gang holds, others may need to complete theirs.
/// After a while without another grant it gives everything back, and asks again after a randomised
/// wait.
namespace muster::job {

void Machine::Impl::watch_hold(Cohort& cohort) {
  if (!cohort.gang || !plan.gang.hold) {
    return;
  }
  bool complete = true;
  for (const Cohort::Share& share : cohort.shares) {
    complete = complete && share.granted >= needed(cohort, share);
  }
  if (complete) {
    return;
  }
  if (cohort.hold.value != 0) {
    move_deadline(cohort.hold, now + *plan.gang.hold);
    return;
  }
  cohort.hold = set_deadline({.kind = DeadlineKind::Hold,
                              .at = now + *plan.gang.hold,
                              .waits_for = "another container for the gang",
                              .number = cohort.id});
}

void Machine::Impl::give_back(Cohort& cohort) {
  const std::vector<TaskId> members = cohort.tasks;
  const uint32_t nth = ++cohort.given_back;
  for (const TaskId id : members) {
    Intent& next = intent(id);
    Attempt* attempt = live_attempt(id);
    if (next.cohort != cohort.id ||
        (attempt != nullptr && attempt->state == AttemptState::Stopping)) {
      continue;
    }
    unask(id);
    next.leaves = true;
    if (attempt != nullptr) {
      const Container& container = *find_container(attempt->container);
      if (container.state == ContainerState::Ready && container.occupants > 1) {
        emit(StopAttempt{.attempt = {id, attempt->number}, .container = container.id});
      }
      attempt->part = Part::Stopped;
      end(id, *attempt, std::nullopt);
    }
    leave_home(id);
    next.wanted = true;
    next.placement = Placement::NewContainer;
  }
  clear(cohort.hold);
  const Duration wait = backoff_of(plan.gang.back_off_low, plan.gang.back_off_high, nth,
                                   jitter_bits(plan.seed, cohort.id, nth));
  cohort.postponed = 0;
  cohort.regather = set_deadline({.kind = DeadlineKind::Regather,
                                  .at = now + wait,
                                  .waits_for = "the gang to ask again: it gave back what it held",
                                  .number = cohort.id});
}

void Machine::Impl::regather(Cohort& cohort) {
  // The headroom is a hint that some schedulers never update: after a few looks the gang asks all
  // the same.
  constexpr uint32_t kPostponedMax = 5;
  if (!headroom_suffices(cohort) && cohort.postponed < kPostponedMax) {
    ++cohort.postponed;
    const uint32_t nth = cohort.given_back + cohort.postponed;
    const Duration wait = backoff_of(plan.gang.back_off_low, plan.gang.back_off_high, nth,
                                     jitter_bits(plan.seed, cohort.id, nth));
    cohort.regather = set_deadline({.kind = DeadlineKind::Regather,
                                    .at = now + wait,
                                    .waits_for = "room for the whole gang",
                                    .number = cohort.id});
    return;
  }
  cohort.postponed = 0;
  for (const TaskId id : cohort.tasks) {
    poke(id);
  }
}

bool Machine::Impl::headroom_suffices(const Cohort& cohort) const {
  if (!state.headroom) {
    return true;
  }
  Resources sum;
  for (const Cohort::Share& share : cohort.shares) {
    const uint32_t missing = needed(cohort, share) - std::min(needed(cohort, share), share.granted);
    const uint32_t room = std::max(1U, plan.role(share.role).tasks_per_container);
    const Resources need = resources_of(share.role, missing);
    const uint64_t containers = (missing + room - 1) / room;
    sum.memory_bytes += need.memory_bytes - kAgentMemoryBytes + containers * kAgentMemoryBytes;
    sum.vcores += need.vcores;
    sum.gpus += need.gpus;
  }
  return sum.memory_bytes <= state.headroom->memory_bytes && sum.vcores <= state.headroom->vcores &&
         sum.gpus <= state.headroom->gpus;
}

}  // namespace muster::job
