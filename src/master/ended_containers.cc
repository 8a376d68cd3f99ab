#include "master/ended_containers.h"

#include <utility>

namespace muster::master {
namespace {

constexpr Duration kHoldMax = std::chrono::milliseconds(250);

}  // namespace

EndedContainers::~EndedContainers() {
  for (const auto& [container, held] : held_) {
    loop_.cancel(held.timer);
  }
}

void EndedContainers::ended(job::ContainerEnded fact, bool connected) {
  if (!connected) {
    enter_(std::move(fact));
    return;
  }
  const job::ContainerId container = fact.container;
  const auto [found, first] = held_.try_emplace(container);
  if (first) {
    found->second.fact = std::move(fact);
    found->second.timer = loop_.call_after(kHoldMax, [this, container] { drained(container); });
  }
}

void EndedContainers::drained(const job::ContainerId& container) {
  if (auto held = held_.extract(container)) {
    loop_.cancel(held.mapped().timer);
    enter_(std::move(held.mapped().fact));
  }
}

}  // namespace muster::master
