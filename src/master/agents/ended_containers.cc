#include "master/agents/ended_containers.h"

#include <utility>

namespace muster::master {
namespace {

constexpr Duration kHoldMax = std::chrono::milliseconds(250);

}  // namespace

EndedContainers::~EndedContainers() {
  for (const auto& [container, held] : held_) {
    loop_.cancel(held.timer);
  }
  for (const auto& [container, waiting] : attempts_) {
    loop_.cancel(waiting.timer);
  }
}

void EndedContainers::ended(job::ContainerEnded fact, bool connected) {
  if (!connected) {
    enter(std::move(fact));
    return;
  }
  const job::ContainerId container = fact.container;
  const auto [found, first] = held_.try_emplace(container);
  if (first) {
    found->second.fact = std::move(fact);
    found->second.timer = loop_.call_after(kHoldMax, [this, container] { drained(container); });
  }
}

void EndedContainers::ended_with(const job::ContainerId& container, job::AttemptEnded fact) {
  const auto [found, first] = attempts_.try_emplace(container);
  found->second.facts.push_back(std::move(fact));
  if (first) {
    found->second.timer =
        loop_.call_after(patience_, [this, container] { enter_attempts(container); });
  }
}

void EndedContainers::drained(const job::ContainerId& container) {
  if (auto held = held_.extract(container)) {
    loop_.cancel(held.mapped().timer);
    enter(std::move(held.mapped().fact));
  }
}

// If a rule matched the container's end, that end takes the attempts with it, with its class.
// Otherwise the agent has said more.
void EndedContainers::enter(job::ContainerEnded fact) {
  if (!fact.failure) {
    enter_attempts(fact.container);
  } else if (auto waiting = attempts_.extract(fact.container)) {
    loop_.cancel(waiting.mapped().timer);
  }
  enter_(std::move(fact));
}

void EndedContainers::enter_attempts(const job::ContainerId& container) {
  if (auto waiting = attempts_.extract(container)) {
    loop_.cancel(waiting.mapped().timer);
    for (job::AttemptEnded& fact : waiting.mapped().facts) {
      enter_(std::move(fact));
    }
  }
}

}  // namespace muster::master
