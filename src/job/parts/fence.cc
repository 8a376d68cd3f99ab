#include "job/parts/fence.h"

#include "job/chronicle.h"
#include "job/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::job {

Fence::Fence(const Deps& deps)
    : plan_(deps.plan),
      turn_(deps.turn),
      timers_(deps.timers),
      chronicle_(deps.chronicle),
      held_(deps.plan) {}

void Fence::watch(AttemptId id, const Container& container) {
  Watch& watch = watches_[container.id];
  if (std::ranges::find(watch.attempts, id) != watch.attempts.end()) {
    return;
  }
  if (!watch.timer.is_set()) {
    watch.host = container.host;
    watch.timer = timers_.set(FenceTimer{container.id},
                              turn_.now + std::max<Duration>(plan_.liveness.lost, kWaitMin),
                              fmt::format("the end of {}", container.id.value));
  }
  watch.attempts.push_back(id);
  ++held_[id.task];
  turn_.wait_changed = true;
}

std::vector<TaskId> Fence::ended(AttemptId id) {
  const auto found = std::ranges::find_if(watches_, [&](const auto& each) {
    const std::vector<AttemptId>& attempts = each.second.attempts;
    return std::ranges::find(attempts, id) != attempts.end();
  });
  if (found == watches_.end()) {
    return {};
  }
  if (found->second.attempts.size() == 1) {
    timers_.clear(found->second.timer);
    return let_go(found->first);
  }
  std::erase(found->second.attempts, id);
  --held_[id.task];
  turn_.wait_changed = true;
  return {id.task};
}

std::vector<TaskId> Fence::gone(const ContainerId& container) {
  const auto found = watches_.find(container);
  if (found == watches_.end()) {
    return {};
  }
  timers_.clear(found->second.timer);
  return let_go(container);
}

std::vector<TaskId> Fence::passed(const ContainerId& container) {
  if (const auto found = watches_.find(container); found != watches_.end()) {
    chronicle_.give_up_confirming(found->second.attempts);
  }
  return let_go(container);
}

std::vector<TaskId> Fence::let_go(const ContainerId& container) {
  const auto watch = watches_.extract(container);
  std::vector<TaskId> tasks;
  if (watch.empty()) {
    return tasks;
  }
  for (const AttemptId& each : watch.mapped().attempts) {
    --held_[each.task];
    tasks.push_back(each.task);
  }
  turn_.wait_changed = true;
  return tasks;
}

std::vector<ContainerId> Fence::forget() {
  std::vector<ContainerId> containers;
  for (const auto& [container, watch] : watches_) {
    containers.push_back(container);
  }
  watches_.clear();
  held_.for_each([](uint32_t& times) { times = 0; });
  return containers;
}

std::string Fence::wait_of(TaskId id) const {
  for (const auto& [container, watch] : watches_) {
    const auto old = std::ranges::find(watch.attempts, id, &AttemptId::task);
    if (old != watch.attempts.end()) {
      return fmt::format("the end of {} on {}, which was lost", to_string(plan_, *old),
                         watch.host.value);
    }
  }
  return {};
}

std::vector<AttemptId> Fence::watched() const {
  std::vector<AttemptId> all;
  for (const auto& [container, watch] : watches_) {
    all.insert(all.end(), watch.attempts.begin(), watch.attempts.end());
  }
  return all;
}

// lint: allow(unused) what the simulator recounts
bool Fence::tallies_hold() const {
  PerTask<uint32_t> counted(plan_);
  for (const AttemptId& each : watched()) {
    ++counted[each.task];
  }
  for (size_t role = 0; role < plan_.roles.size(); ++role) {
    for (uint32_t index = 0; index < plan_.roles[role].tasks; ++index) {
      const TaskId id{RoleIndex(static_cast<uint16_t>(role)), index};
      if (counted[id] != held_[id]) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace muster::job
