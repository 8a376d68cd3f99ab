#pragma once

#include "job/liveness.h"
#include "rt/loop.h"
#include "rt/scope.h"

#include <functional>

namespace muster::master {

/// Runs job::Liveness on the loop: one timer for the time it names, with sockets drained before it
/// judges.
class LivenessDriver {
 public:
  struct Handlers {
    std::function<void(job::Fact)> verdict;      ///< AgentSuspected, AgentLost.
    std::function<void(Duration late)> stalled;  ///< This process was stalled that long.
  };

  LivenessDriver(rt::Loop& loop, const job::LivenessPlan& plan, Handlers handlers);
  ~LivenessDriver() { loop_.cancel(timer_); }
  LivenessDriver(const LivenessDriver&) = delete;
  LivenessDriver& operator=(const LivenessDriver&) = delete;

  void watch(const job::ContainerId& container);
  void forget(const job::ContainerId& container);
  /// A frame arrived. Returns true if the agent was suspected and must report.
  bool beat(const job::ContainerId& container);
  void closed(const job::ContainerId& container, bool process_dead);
  void reconnected(const job::ContainerId& container);

 private:
  void arm();
  void due();
  [[nodiscard]] rt::Async<> judge();

  rt::Loop& loop_;
  Handlers handlers_;
  job::Liveness liveness_;
  Duration stall_min_;
  rt::TimerId timer_;
  HostTime timer_at_ = HostTime::max();
  rt::Scope scope_;  ///< Last: its coroutines use the rest.
};

}  // namespace muster::master
