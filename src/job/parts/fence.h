#pragma once

#include "job/ids.h"
#include "job/parts/deps.h"
#include "job/parts/per_task.h"
#include "job/parts/timers.h"
#include "job/state.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::job {

/// Attempts that may live on unseen: told to start, and given up before their end was reported.
/// Their successors may be placed and join, but start only when the old container is confirmed
/// gone. A cluster that cannot be reached confirms nothing: after a while they start all the same,
/// in a newer generation, which alone may commit.
class Fence {
 public:
  /// How long a cluster needs to kill a container does not depend on how fast silence is noticed.
  static constexpr Duration kWaitMin = std::chrono::seconds(10);

  explicit Fence(const Deps& deps);

  /// The attempt was told to start in `container`, and is given up without its end being known.
  void watch(AttemptId id, const Container& container);
  /// The agent says that the attempt has ended. Returns the tasks that may start now.
  [[nodiscard]] std::vector<TaskId> ended(AttemptId id);
  /// The cluster says that the container is gone. Returns the tasks that may start now.
  [[nodiscard]] std::vector<TaskId> gone(const ContainerId& container);
  /// The end was not confirmed in time. Returns the tasks that may start now.
  [[nodiscard]] std::vector<TaskId> passed(const ContainerId& container);
  /// The job stops: nothing starts any more. Returns the containers that are no longer waited for.
  [[nodiscard]] std::vector<ContainerId> forget();

  /// Returns whether an earlier attempt of the task prevents the next one from starting.
  [[nodiscard]] bool holds(TaskId id) const { return held_[id] > 0; }
  /// What the task waits for, for people; "": for nothing.
  [[nodiscard]] std::string wait_of(TaskId id) const;
  /// Returns the watched attempts, oldest container first.
  [[nodiscard]] std::vector<AttemptId> watched() const;

  /// Recounts: whether every task is held as often as its attempts are watched.
  [[nodiscard]] bool tallies_hold() const;

 private:
  struct Watch {
    Timer<FenceTimer> timer;
    HostName host;
    std::vector<AttemptId> attempts;
  };
  [[nodiscard]] std::vector<TaskId> let_go(const ContainerId& container);

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  Chronicle& chronicle_;
  std::map<ContainerId, Watch> watches_;
  PerTask<uint32_t> held_;
};

}  // namespace muster::job
