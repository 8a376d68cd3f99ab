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

/// Attempts that were told to stop together, and until when they may take.
class StopBatches {
 public:
  explicit StopBatches(const Deps& deps);

  /// These have just been told to stop, with at most `grace`. None makes no batch, but is counted.
  void begin(std::vector<AttemptId> attempts, Duration grace);
  /// The task's attempt has ended.
  void leave(TaskId id);
  /// A batch has had its time. Returns everybody who was told, also those that have stopped.
  [[nodiscard]] std::vector<AttemptId> passed(uint32_t batch);
  /// The job stops: nobody is waited for by batches any more.
  void forget();

  /// 0: its attempt was not told to stop. The batch may be forgotten.
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
