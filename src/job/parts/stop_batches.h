#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "job/parts/deps.h"
#include "job/parts/per_task.h"
#include "job/parts/timers.h"

#include <cstdint>
#include <map>
#include <vector>

namespace muster::job {

/// Attempts that were told to stop together, and how long they may take.
class StopBatches {
 public:
  explicit StopBatches(const Deps& deps);

  /// These have just been told to stop, within at most `grace`. An empty list makes no batch, but
  /// is counted.
  void begin(std::vector<AttemptId> attempts, Duration grace);
  /// The task's attempt has ended.
  void leave(TaskId id);
  /// A batch has had its time. Returns all attempts that were told, including those that have
  /// stopped.
  [[nodiscard]] std::vector<AttemptId> passed(uint32_t batch);
  /// The job stops: batches no longer wait for anything.
  void forget();

  /// Returns 0 if its attempt was not told to stop. The batch may have been forgotten.
  [[nodiscard]] uint32_t of(TaskId id) const { return batch_of_[id]; }
  /// How many batches there ever were.
  [[nodiscard]] uint32_t count() const { return count_; }

 private:
  struct Batch {
    Timer<BatchTimer> timer;
    uint32_t remaining = 0;
    std::vector<AttemptId> attempts;
  };

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  std::map<uint32_t, Batch> batches_;
  PerTask<uint32_t> batch_of_;
  uint32_t count_ = 0;
};

}  // namespace muster::job
