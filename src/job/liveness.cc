#include "job/liveness.h"

#include <algorithm>

namespace muster::job {

Liveness::Liveness(const LivenessPlan& plan) : plan_(plan) {}

void Liveness::watch(ContainerId container, HostTime now) {
  Agent& agent = agents_[std::move(container)];
  agent = {.last_sign = now};
  due_ = std::min(due_, due_of(agent));
}

void Liveness::forget(const ContainerId& container) {
  agents_.erase(container);
  if (agents_.empty()) {
    due_ = HostTime::max();
  }
}

bool Liveness::beat(const ContainerId& container, HostTime now) {
  const auto found = agents_.find(container);
  if (found == agents_.end()) {
    return false;
  }
  found->second.last_sign = std::max(found->second.last_sign, now);
  return found->second.suspected;
}

void Liveness::closed(const ContainerId& container, HostTime now, bool process_dead) {
  const auto found = agents_.find(container);
  if (found == agents_.end() || !process_dead) {
    return;
  }
  found->second.dead = true;
  due_ = std::min(due_, now);
}

void Liveness::reconnected(const ContainerId& container, HostTime now) { beat(container, now); }

std::vector<Fact> Liveness::judge(HostTime now) {
  // If the caller is late, this process was stalled and could hear nobody meanwhile.
  const Duration stalled = std::max(Duration::zero(), due_ < now ? now - due_ : Duration::zero());
  std::vector<Fact> verdicts;
  due_ = HostTime::max();
  for (auto each = agents_.begin(); each != agents_.end();) {
    Agent& agent = each->second;
    agent.last_sign = std::min(now, agent.last_sign + stalled);
    const Duration silent = now - agent.last_sign;
    if (agent.dead || silent >= plan_.lost) {
      verdicts.emplace_back(
          AgentLost{each->first, agent.dead ? LossReason::Closed : LossReason::Silent});
      each = agents_.erase(each);
      continue;
    }
    if (!agent.suspected && silent >= plan_.suspect) {
      agent.suspected = true;
      verdicts.emplace_back(AgentSuspected{each->first});
    }
    due_ = std::min(due_, due_of(agent));
    ++each;
  }
  return verdicts;
}

HostTime Liveness::due_of(const Agent& agent) const {
  return agent.last_sign + (agent.suspected ? plan_.lost : std::min(plan_.suspect, plan_.lost));
}

}  // namespace muster::job
