#include "master/agents/liveness_driver.h"

#include <utility>

namespace muster::master {

LivenessDriver::LivenessDriver(rt::Loop& loop, const job::LivenessPlan& plan, Handlers handlers)
    : loop_(loop),
      handlers_(std::move(handlers)),
      liveness_(plan),
      stall_min_(plan.beat),
      scope_(loop) {}

void LivenessDriver::watch(const job::ContainerId& container) {
  liveness_.watch(container, loop_.now());
  arm();
}

void LivenessDriver::forget(const job::ContainerId& container) {
  liveness_.forget(container);
  arm();
}

bool LivenessDriver::beat(const job::ContainerId& container) {
  // The timer stays: once in a while it fires early and is then set anew, which costs less than
  // moving it at every beat.
  return liveness_.beat(container, loop_.now());
}

void LivenessDriver::closed(const job::ContainerId& container, bool process_dead) {
  liveness_.closed(container, loop_.now(), process_dead);
  arm();
}

void LivenessDriver::reconnected(const job::ContainerId& container) {
  liveness_.reconnected(container, loop_.now());
  arm();
}

void LivenessDriver::arm() {
  const HostTime when = liveness_.due();
  if (when >= timer_at_) {
    return;
  }
  loop_.cancel(timer_);
  timer_at_ = when;
  timer_ = loop_.call_at(when, [this] { due(); });
}

void LivenessDriver::due() {
  const Duration late = loop_.now() - timer_at_;
  timer_at_ = HostTime::max();
  if (late > stall_min_) {
    handlers_.stalled(late);
  }
  scope_.spawn(judge());
}

rt::Async<> LivenessDriver::judge() {
  // Wait two turns, so that the sockets are read in between: beats that came during a stall must
  // count.
  co_await rt::next_turn(loop_);
  const std::vector<job::Fact> verdicts = liveness_.judge(loop_.now());
  arm();
  for (const job::Fact& verdict : verdicts) {
    handlers_.verdict(verdict);
  }
}

}  // namespace muster::master
