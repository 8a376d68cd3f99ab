#include "job/parts/gangs.h"

#include "job/chronicle.h"
#include "job/elastic.h"
#include "job/parts/budget.h"
#include "job/parts/lives.h"
#include "job/parts/turn.h"
#include "job/parts/views.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::job {

namespace {

Cohort::Share& share_of(Cohort& cohort, RoleIndex role) {
  return *std::ranges::find(cohort.shares, role, &Cohort::Share::role);
}

}  // namespace

Resources resources_of(const Plan& plan, RoleIndex role, size_t tasks) {
  Resources sum = plan.role(role).resources;
  sum.memory_bytes = sum.memory_bytes * tasks + kAgentMemoryBytes;
  sum.vcores *= static_cast<uint32_t>(tasks);
  sum.gpus *= static_cast<uint32_t>(tasks);
  for (auto& [name, amount] : sum.other) {
    amount *= tasks;
  }
  return sum;
}

Gangs::Gangs(const Deps& deps, Views& views)
    : plan_(deps.plan),
      turn_(deps.turn),
      timers_(deps.timers),
      lives_(deps.lives),
      chronicle_(deps.chronicle),
      views_(views),
      members_(deps.plan) {}

uint32_t Gangs::create(bool gang) {
  Cohort& cohort = cohorts_[++count_];
  cohort.id = count_;
  cohort.gang = gang;
  return cohort.id;
}

const Cohort* Gangs::find(uint32_t cohort) const {
  const auto found = cohorts_.find(cohort);
  return found == cohorts_.end() ? nullptr : &found->second;
}

void Gangs::enter(uint32_t cohort_id, TaskId id) {
  if (members_[id].cohort == cohort_id) {
    return;
  }
  leave(id);
  Cohort& cohort = cohorts_.at(cohort_id);
  members_[id].cohort = cohort_id;
  cohort.tasks.push_back(id);
  auto share = std::ranges::find(cohort.shares, id.role, &Cohort::Share::role);
  if (share == cohort.shares.end()) {
    cohort.shares.push_back({.role = id.role});
    share = cohort.shares.end() - 1;
  }
  ++share->members;
  const Attempt* attempt = lives_.live(id);
  if (attempt != nullptr && attempt->generation.value == 0 &&
      attempt->state != AttemptState::Stopping) {
    count_granted(id, true);
    count_joined(id, attempt->state == AttemptState::Joined);
  }
  turn_.wait_changed = true;
}

void Gangs::enter_alone(TaskId id) {
  if (members_[id].cohort == 0) {
    enter(create(false), id);
  }
}

void Gangs::leave(TaskId id) {
  const auto found = cohorts_.find(members_[id].cohort);
  if (found == cohorts_.end()) {
    members_[id].cohort = 0;
    return;
  }
  out(id);
  Cohort& cohort = found->second;
  members_[id].cohort = 0;
  --share_of(cohort, id.role).members;
  turn_.wait_changed = true;
  const bool empty = std::ranges::all_of(
      cohort.shares, [](const Cohort::Share& share) { return share.members == 0; });
  if (empty) {
    clear_timers(cohort);
    cohorts_.erase(found);
  }
}

void Gangs::drop_if_empty(uint32_t cohort) {
  if (cohorts_.at(cohort).shares.empty()) {
    cohorts_.erase(cohort);
  }
}

void Gangs::forget() {
  cohorts_.clear();
  members_.for_each([](Membership& member) { member = {}; });
}

uint32_t Gangs::gather_again() {
  const auto gathering =
      std::ranges::find_if(cohorts_, [](const auto& each) { return each.second.restart; });
  const uint32_t gang = gathering != cohorts_.end() ? gathering->first : create(true);
  cohorts_.at(gang).restart = true;
  for (const std::vector<Task>& role : lives_.state().tasks) {
    for (const Task& each : role) {
      const Cohort* own = cohort_of(each.id);
      if (plan_.role(each.id.role).membership != spec::Membership::Independent && own != nullptr &&
          !own->gang) {
        enter(gang, each.id);
      }
    }
  }
  return gang;
}

void Gangs::out(TaskId id) {
  count_joined(id, false);
  count_granted(id, false);
}

void Gangs::asked(TaskId id) {
  if (const auto found = cohorts_.find(members_[id].cohort); found != cohorts_.end()) {
    watch_gathering(found->second);
  }
}

// Only a static gang of min..max waits beyond its minimum for tasks that may still come.
void Gangs::may_not_come(TaskId id) {
  if (members_[id].cohort != 0 && changes_together(plan_, id.role)) {
    look_again(members_[id].cohort);
  }
}

void Gangs::count_granted(TaskId id, bool granted) {
  Membership& member = members_[id];
  const auto found = cohorts_.find(member.cohort);
  if (member.granted == granted || found == cohorts_.end()) {
    return;
  }
  member.granted = granted;
  Cohort& cohort = found->second;
  share_of(cohort, id.role).granted += granted ? 1U : -1U;
  turn_.wait_changed = true;
  watch_gathering(cohort);
  if (granted) {
    watch_hold(cohort);
  }
}

void Gangs::count_joined(TaskId id, bool joined) {
  Membership& member = members_[id];
  const auto found = cohorts_.find(member.cohort);
  if (member.joined == joined || found == cohorts_.end()) {
    return;
  }
  member.joined = joined;
  share_of(found->second, id.role).joined += joined ? 1U : -1U;
  turn_.wait_changed = true;
}

uint32_t Gangs::needed(const Cohort& cohort, const Cohort::Share& share) const {
  const RolePlan& role = plan_.role(share.role);
  if (changes_together(plan_, share.role)) {
    return std::min(share.members, cohort.grows ? 1U : role.tasks_min);
  }
  if (!cohort.gang || !ranges(plan_, share.role)) {
    return share.members;
  }
  const Tally& tally = lives_.tally(share.role);
  const uint32_t elsewhere = tally.started + tally.succeeded;
  return std::min(share.members, role.tasks_min - std::min(role.tasks_min, elsewhere));
}

bool Gangs::complete(const Cohort& cohort) const {
  return std::ranges::all_of(cohort.shares, [&](const Cohort::Share& share) {
    return share.granted >= needed(cohort, share);
  });
}

// The gather deadline runs while containers are missing.
void Gangs::watch_gathering(Cohort& cohort) {
  if (complete(cohort)) {
    timers_.clear(cohort.gather);
    timers_.clear(cohort.hold);
    if (cohort.gang) {
      chronicle_.reach("gathered", turn_.now);
    }
    return;
  }
  if (!cohort.gather.is_set() && plan_.deadlines.gather && !cohort.grows) {
    cohort.gather =
        timers_.set(GatherTimer{cohort.id}, turn_.now + *plan_.deadlines.gather, lack_of(cohort));
  }
}

void Gangs::watch_hold(Cohort& cohort) {
  if (!cohort.gang || !plan_.gang.hold || complete(cohort)) {
    return;
  }
  const Time at = turn_.now + *plan_.gang.hold;
  if (cohort.hold.is_set()) {
    timers_.move(cohort.hold, at);
    return;
  }
  cohort.hold = timers_.set(HoldTimer{cohort.id}, at, "another container for the gang");
}

Gangs::Barrier Gangs::look_at(uint32_t cohort_id, const Returns& returns) const {
  const Cohort* cohort = find(cohort_id);
  if (cohort == nullptr) {
    return Barrier::Shut;
  }
  uint32_t all_joined = 0;
  for (const Cohort::Share& share : cohort->shares) {
    if (share.joined < needed(*cohort, share)) {
      return Barrier::Shut;
    }
    all_joined += share.joined;
  }
  // Beyond its minimum a gang still waits for tasks that will join without further grants.
  const bool waits_for_more = std::ranges::any_of(cohort->tasks, [&](TaskId id) {
    const Membership& member = members_[id];
    return changes_together(plan_, id.role) && member.cohort == cohort_id && !member.joined &&
           (lives_.live(id) != nullptr || returns(id));
  });
  if (all_joined == 0 || waits_for_more) {
    return Barrier::Shut;
  }
  const bool joins_a_gang = cohort->grows && changes_together(plan_, cohort->shares.front().role);
  return joins_a_gang ? Barrier::JoinsAGang : Barrier::Complete;
}

void Gangs::open(uint32_t cohort_id) {
  Cohort cohort = std::move(cohorts_.at(cohort_id));
  cohorts_.erase(cohort_id);
  clear_timers(cohort);
  if (cohort.gang) {
    chronicle_.reach("joined", turn_.now);
  }
  std::vector<TaskId> starting;
  std::vector<TaskId> late;
  for (const TaskId id : cohort.tasks) {
    // A task that came, left and came again is in the list twice, but belongs to no cohort the
    // second time.
    Membership& member = members_[id];
    if (member.cohort == cohort_id) {
      (member.joined ? starting : late).push_back(id);
      member = {};
    }
  }
  std::ranges::sort(starting);
  views_.start(starting);
  // Late tasks join one by one or, if everything restarts for them, those of a role together.
  std::map<RoleIndex, uint32_t> growths;
  for (const TaskId id : late) {
    uint32_t& growth = growths[id.role];
    if (growth == 0 || !changes_together(plan_, id.role)) {
      growth = create(false);
      cohorts_.at(growth).grows = true;
    }
    enter(growth, id);
  }
  turn_.wait_changed = true;
}

bool Gangs::gang_waits() const {
  return std::ranges::any_of(
      cohorts_, [](const auto& other) { return other.second.gang && other.second.restart; });
}

std::string Gangs::gather_passed(uint32_t cohort_id) {
  const auto found = cohorts_.find(cohort_id);
  if (found == cohorts_.end()) {
    return {};
  }
  found->second.gather = {};
  const auto [all, granted, joined, what] = sums(found->second);
  return granted < all ? fmt::format("{} of {} {} have a container", granted, all, what)
                       : fmt::format("{} of {} {} have joined", joined, all, what);
}

std::vector<TaskId> Gangs::hold_passed(uint32_t cohort_id) {
  const auto found = cohorts_.find(cohort_id);
  if (found == cohorts_.end()) {
    return {};
  }
  Cohort& cohort = found->second;
  cohort.hold = {};
  ++cohort.given_back;
  std::vector<TaskId> giving;
  std::ranges::copy_if(cohort.tasks, std::back_inserter(giving), [&](TaskId id) {
    const Attempt* attempt = lives_.live(id);
    return members_[id].cohort == cohort_id &&
           (attempt == nullptr || attempt->state != AttemptState::Stopping);
  });
  return giving;
}

void Gangs::wait_to_regather(uint32_t cohort_id) {
  const auto found = cohorts_.find(cohort_id);
  if (found == cohorts_.end()) {
    return;
  }
  Cohort& cohort = found->second;
  timers_.clear(cohort.hold);
  cohort.postponed = 0;
  regather_after(cohort, cohort.given_back, "the gang to ask again: it gave back what it held");
}

void Gangs::regather_after(Cohort& cohort, uint32_t nth, std::string waits_for) {
  const Duration wait = backoff_of(plan_.gang.back_off_low, plan_.gang.back_off_high, nth,
                                   jitter_bits(plan_.seed, cohort.id, nth));
  cohort.regather = timers_.set(RegatherTimer{cohort.id}, turn_.now + wait, std::move(waits_for));
}

std::vector<TaskId> Gangs::regather_passed(uint32_t cohort_id) {
  // The headroom is a hint that some schedulers never update: after a few checks the gang asks
  // anyway.
  constexpr uint32_t kPostponedMax = 5;
  const auto found = cohorts_.find(cohort_id);
  if (found == cohorts_.end()) {
    return {};
  }
  Cohort& cohort = found->second;
  cohort.regather = {};
  if (!headroom_suffices(cohort) && cohort.postponed < kPostponedMax) {
    ++cohort.postponed;
    regather_after(cohort, cohort.given_back + cohort.postponed, "room for the whole gang");
    return {};
  }
  cohort.postponed = 0;
  return cohort.tasks;
}

bool Gangs::headroom_suffices(const Cohort& cohort) const {
  const std::optional<HeadroomReported>& headroom = lives_.state().headroom;
  if (!headroom) {
    return true;
  }
  Resources sum;
  for (const Cohort::Share& share : cohort.shares) {
    const uint32_t missing = needed(cohort, share) - std::min(needed(cohort, share), share.granted);
    const uint32_t room = std::max(1U, plan_.role(share.role).tasks_per_container);
    const Resources need = resources_of(plan_, share.role, missing);
    const uint64_t containers = (missing + room - 1) / room;
    sum.memory_bytes += need.memory_bytes - kAgentMemoryBytes + containers * kAgentMemoryBytes;
    sum.vcores += need.vcores;
    sum.gpus += need.gpus;
  }
  return sum.memory_bytes <= headroom->memory_bytes && sum.vcores <= headroom->vcores &&
         sum.gpus <= headroom->gpus;
}

void Gangs::clear_timers(Cohort& cohort) {
  timers_.clear(cohort.gather);
  timers_.clear(cohort.hold);
  timers_.clear(cohort.regather);
}

Gangs::Sums Gangs::sums(const Cohort& cohort) const {
  Sums sums;
  for (const Cohort::Share& share : cohort.shares) {
    const uint32_t need = needed(cohort, share);
    sums.all += need;
    sums.granted += std::min(share.granted, need);
    sums.joined += std::min(share.joined, need);
  }
  sums.what = cohort.shares.size() == 1 ? plan_.role(cohort.shares.front().role).name + " tasks"
                                        : std::string("tasks");
  return sums;
}

std::string Gangs::lack_of(const Cohort& cohort) const {
  const auto [all, granted, joined, what] = sums(cohort);
  return granted < all ? fmt::format("containers for {} of {} {}", all - granted, all, what)
                       : fmt::format("{} of {} {} to join", all - joined, all, what);
}

std::string Gangs::lack() const {
  const auto waiting =
      std::ranges::find_if(cohorts_, [](const auto& each) { return !each.second.grows; });
  return waiting == cohorts_.end() ? std::string() : lack_of(waiting->second);
}

// lint: allow(unused) what the simulator recounts
bool Gangs::tallies_hold() const {
  std::map<std::pair<uint32_t, RoleIndex>, Cohort::Share> counted;
  for (const std::vector<Task>& role : lives_.state().tasks) {
    for (const Task& each : role) {
      const Membership& member = members_[each.id];
      if (member.cohort != 0) {
        Cohort::Share& share = counted[{member.cohort, each.id.role}];
        ++share.members;
        share.granted += member.granted ? 1 : 0;
        share.joined += member.joined ? 1 : 0;
      }
    }
  }
  for (const auto& [id, cohort] : cohorts_) {
    for (const Cohort::Share& share : cohort.shares) {
      const Cohort::Share right = counted[{id, share.role}];
      if (share.members != right.members || share.granted != right.granted ||
          share.joined != right.joined) {
        return false;
      }
      counted.erase({id, share.role});
    }
  }
  return counted.empty();
}

}  // namespace muster::job
