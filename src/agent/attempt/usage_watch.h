#pragma once

#include "agent/attempt/attempt_observer.h"
#include "agent/attempt/attempts.h"
#include "agent/attempt/watch_budget.h"
#include "agent/job_context.h"
#include "base/log.h"
#include "os/memory.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/wait.h"
#include "wire/frame.h"

#include <map>
#include <vector>

namespace muster::agent {

/// Looks now and then at what the running attempts use: measures them for the master, ends those
/// over their memory limit, and says when one has stalled. Lives on the loop's thread.
class UsageWatch {
 public:
  /// What it works with. All must outlive it.
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    const JobContext& job;
    Attempts& attempts;
    os::Meter& meter;
    AttemptObserver& observer;
  };

  explicit UsageWatch(Deps deps);
  UsageWatch(const UsageWatch&) = delete;
  UsageWatch& operator=(const UsageWatch&) = delete;

  /// An attempt has just started: the next look comes soon.
  void attempt_started();
  /// Returns the last measurements.
  [[nodiscard]] std::vector<wire::Sample> samples() const;

 private:
  rt::Async<> run();
  /// Looks at all; returns when the next look is due: never while nothing runs.
  [[nodiscard]] HostTime look();
  void look_for_stall(TaskRun& run, const wire::Sample& sample);

  Deps deps_;
  std::map<job::AttemptId, wire::Sample> samples_;
  WatchBudget looks_;  ///< All but the close looks, which have a budget of their own.
  HostTime due_ = HostTime::max();
  rt::Event moved_;  ///< The next look is due at another time.
  rt::Scope scope_;  ///< Last: its coroutine uses all of the above.
};

}  // namespace muster::agent
