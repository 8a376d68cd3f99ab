#include "base/check.h"
#include "job/describe.h"
#include "job/elastic.h"
#include "job/machine_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

/// The barrier: cohorts gather, join and start together in a new generation with one view.
namespace muster::job {

Cohort& Machine::Impl::new_cohort(bool gang) {
  Cohort& cohort = cohorts[++cohort_count];
  cohort.id = cohort_count;
  cohort.gang = gang;
  return cohort;
}

void Machine::Impl::enter(Cohort& cohort, TaskId id) {
  Intent& next = intent(id);
  if (next.cohort == cohort.id) {
    return;
  }
  leave_cohort(id);
  next.cohort = cohort.id;
  cohort.tasks.push_back(id);
  auto share = std::ranges::find(cohort.shares, id.role, &Cohort::Share::role);
  if (share == cohort.shares.end()) {
    cohort.shares.push_back({.role = id.role});
    share = cohort.shares.end() - 1;
  }
  ++share->members;
  const Attempt* attempt = live_attempt(id);
  if (attempt != nullptr && attempt->generation.value == 0 &&
      attempt->state != AttemptState::Stopping) {
    count_granted(id, true);
    count_joined(id, attempt->state == AttemptState::Joined);
  }
  wait_changed = true;
}

void Machine::Impl::leave_cohort(TaskId id) {
  Intent& next = intent(id);
  const auto found = cohorts.find(next.cohort);
  if (found == cohorts.end()) {
    next.cohort = 0;
    return;
  }
  count_joined(id, false);
  count_granted(id, false);
  Cohort& cohort = found->second;
  next.cohort = 0;
  --std::ranges::find(cohort.shares, id.role, &Cohort::Share::role)->members;
  wait_changed = true;
  const bool empty = std::ranges::all_of(
      cohort.shares, [](const Cohort::Share& share) { return share.members == 0; });
  if (empty) {
    clear(cohort.gather);
    clear(cohort.hold);
    clear(cohort.regather);
    cohorts.erase(found);
  }
}

void Machine::Impl::count_granted(TaskId id, bool granted) {
  Intent& next = intent(id);
  const auto found = cohorts.find(next.cohort);
  if (next.granted == granted || found == cohorts.end()) {
    return;
  }
  next.granted = granted;
  Cohort& cohort = found->second;
  Cohort::Share& share = *std::ranges::find(cohort.shares, id.role, &Cohort::Share::role);
  share.granted += granted ? 1U : -1U;
  wait_changed = true;
  watch_gathering(cohort);
  if (granted) {
    watch_hold(cohort);
  }
}

void Machine::Impl::count_joined(TaskId id, bool joined) {
  Intent& next = intent(id);
  const auto found = cohorts.find(next.cohort);
  if (next.joined == joined || found == cohorts.end()) {
    return;
  }
  next.joined = joined;
  std::ranges::find(found->second.shares, id.role, &Cohort::Share::role)->joined +=
      joined ? 1U : -1U;
  wait_changed = true;
}

uint32_t Machine::Impl::needed(const Cohort& cohort, const Cohort::Share& share) const {
  const RolePlan& role = plan.role(share.role);
  if (changes_together(plan, share.role)) {
    return std::min(share.members, cohort.grows ? 1U : role.tasks_min);
  }
  if (!cohort.gang || !ranges(plan, share.role)) {
    return share.members;
  }
  const Standing& standing = standings[share.role.value];
  const uint32_t elsewhere = standing.live_started + standing.succeeded;
  return std::min(share.members, role.tasks_min - std::min(role.tasks_min, elsewhere));
}

// The gather deadline runs while containers are missing.
void Machine::Impl::watch_gathering(Cohort& cohort) {
  const bool complete = std::ranges::all_of(cohort.shares, [&](const Cohort::Share& share) {
    return share.granted >= needed(cohort, share);
  });
  if (complete) {
    clear(cohort.gather);
    clear(cohort.hold);
    if (cohort.gang) {
      step("gathered");
    }
    return;
  }
  if (cohort.gather.value == 0 && plan.deadlines.gather && !cohort.grows) {
    cohort.gather = set_deadline({.kind = DeadlineKind::Gather,
                                  .at = now + *plan.deadlines.gather,
                                  .waits_for = lack_of(cohort),
                                  .number = cohort.id});
  }
}

void Machine::Impl::open_if_complete(uint32_t cohort_id) {
  const auto found = cohorts.find(cohort_id);
  if (found == cohorts.end() || stopping() || decided) {
    return;
  }
  const Cohort& cohort = found->second;
  uint32_t all_joined = 0;
  for (const Cohort::Share& share : cohort.shares) {
    if (share.joined < needed(cohort, share)) {
      return;
    }
    all_joined += share.joined;
  }
  // Beyond its minimum a gang still waits for those that will join without anybody granting more.
  const bool waits_for_more = std::ranges::any_of(cohort.tasks, [&](TaskId id) {
    const Intent& next = intent(id);
    return changes_together(plan, id.role) && next.cohort == cohort_id && !next.joined &&
           (live_attempt(id) != nullptr || (next.at_home && next.placement == Placement::SameSlot));
  });
  if (all_joined == 0 || waits_for_more) {
    return;
  }
  const bool joins_a_gang = cohort.grows && changes_together(plan, cohort.shares.front().role);
  if (joins_a_gang && regroup({})) {
    return;
  }
  Cohort opened = std::move(found->second);
  cohorts.erase(found);
  open(std::move(opened));
}

void Machine::Impl::open(Cohort cohort) {
  clear(cohort.gather);
  clear(cohort.hold);
  clear(cohort.regather);
  if (cohort.gang) {
    step("joined");
  }
  state.generation = Generation(std::max(state.generation.value, generation_floor) + 1);
  take_starts_along();
  std::vector<TaskId> starting;
  std::vector<TaskId> late;
  for (const TaskId id : cohort.tasks) {
    Intent& next = intent(id);
    if (next.cohort != cohort.id) {
      continue;
    }
    (next.joined ? starting : late).push_back(id);
    next.cohort = 0;
    next.granted = next.joined = false;
  }
  // A task that came, left and came again stands in the list twice, but its cohort was 0 the second
  // time.
  std::ranges::sort(starting);
  for (const TaskId id : starting) {
    Attempt& attempt = *live_attempt(id);
    attempt.generation = state.generation;
    ++live_started;
    ++standing(id.role).live_started;
    ++starts_awaited;
    emit(StartAttempt{{id, attempt.number}, attempt.container, state.generation});
  }
  form_view(starting);
  for (const TaskId id : std::exchange(provisional, {})) {
    latch(id);
  }
  // They join later: alone, or, where all start again for it, those of a role together.
  std::map<RoleIndex, uint32_t> growths;
  for (const TaskId id : late) {
    uint32_t& known = growths[id.role];
    const bool together = changes_together(plan, id.role) && known != 0;
    Cohort& growth = together ? cohorts.at(known) : new_cohort(false);
    known = growth.id;
    growth.grows = true;
    enter(growth, id);
  }
  if (plan.deadlines.run && run.value == 0) {
    run = set_deadline({.kind = DeadlineKind::Run,
                        .at = now + *plan.deadlines.run,
                        .waits_for = "the job to end"});
  }
  const bool gang_waits = std::ranges::any_of(
      cohorts, [](const auto& other) { return other.second.gang && other.second.restart; });
  if (state.phase == JobPhase::Gathering && !gang_waits) {
    move(JobPhase::Running);
  }
  wait_changed = true;
}

// Of the generations that one fact forms only the last one's view goes out, and agents obey no
// older one: what the same fact has ordered to start before starts in the newest.
void Machine::Impl::take_starts_along() {
  for (Action& action : out) {
    auto* const start = std::get_if<StartAttempt>(&action);
    Attempt* const attempt = start != nullptr ? find_live(start->attempt) : nullptr;
    if (attempt != nullptr && attempt->state == AttemptState::Joined) {
      attempt->generation = state.generation;
      start->generation = state.generation;
    }
  }
}

// Small changes are worked into the old view; otherwise it is built anew.
void Machine::Impl::form_view(const std::vector<TaskId>& starting) {
  std::vector<Member>& members = state.view.members;
  state.view.generation = state.generation;
  const auto member_of = [&](TaskId id, const Attempt& attempt) {
    return Member{id,           attempt.number,    attempt.address,
                  attempt.host, attempt.container, attempt.slot};
  };
  if ((departed.size() + starting.size()) * 4 < members.size()) {
    for (const TaskId id : departed) {
      const auto at = std::ranges::lower_bound(members, id, {}, &Member::task);
      if (at != members.end() && at->task == id) {
        members.erase(at);
      }
    }
    for (const TaskId id : starting) {
      const auto at = std::ranges::lower_bound(members, id, {}, &Member::task);
      members.insert(at, member_of(id, *live_attempt(id)));
    }
  } else {
    members.clear();
    for (const std::vector<Task>& role : state.tasks) {
      for (const Task& each : role) {
        const Attempt* attempt = live_attempt(each.id);
        if (attempt != nullptr && attempt->generation.value != 0 &&
            attempt->state != AttemptState::Stopping) {
          members.push_back(member_of(each.id, *attempt));
        }
      }
    }
  }
  departed.clear();
}

Machine::Impl::Tally Machine::Impl::tally(const Cohort& cohort) const {
  Tally tally;
  for (const Cohort::Share& share : cohort.shares) {
    const uint32_t need = needed(cohort, share);
    tally.all += need;
    tally.granted += std::min(share.granted, need);
    tally.joined += std::min(share.joined, need);
  }
  tally.what = cohort.shares.size() == 1 ? plan.role(cohort.shares.front().role).name + " tasks"
                                         : std::string("tasks");
  return tally;
}

std::string Machine::Impl::describe_cohort(const Cohort& cohort) const {
  const auto [all, granted, joined, what] = tally(cohort);
  return granted < all ? fmt::format("{} of {} {} have a container", granted, all, what)
                       : fmt::format("{} of {} {} have joined", joined, all, what);
}

std::string Machine::Impl::lack_of(const Cohort& cohort) const {
  const auto [all, granted, joined, what] = tally(cohort);
  return granted < all ? fmt::format("containers for {} of {} {}", all - granted, all, what)
                       : fmt::format("{} of {} {} to join", all - joined, all, what);
}

void Machine::Impl::describe_wait() {
  state.waits_for.clear();
  if (state.phase == JobPhase::Stopping) {
    state.waits_for = live > 0 ? count_of(live, "task") + " to end"
                               : count_of(containers_open, "container") + " to be gone";
    return;
  }
  if (!backoffs.empty()) {
    state.waits_for = pending.at(*backoffs.begin()).waits_for;
    return;
  }
  for (const auto& [id, cohort] : cohorts) {
    if (!cohort.grows) {
      state.waits_for = lack_of(cohort);
      return;
    }
  }
}

}  // namespace muster::job
