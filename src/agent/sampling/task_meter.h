#pragma once

#include "agent/attempt/task_run.h"
#include "agent/sampling/rising_sum.h"
#include "base/time.h"
#include "metrics/series.h"
#include "os/host/memory.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::agent {

/// Turns what the processes of one attempt use, look after look, into readings. Counters of a
/// process that another one reaped drop out of the sums; the values returned never fall. Pure: the
/// times are the caller's.
class TaskMeter {
 public:
  /// `files`: file traffic, if it was read, too.
  [[nodiscard]] std::vector<metrics::Reading> read(HostTime now, const TaskRun::Use& use,
                                                   const std::optional<os::FileActivity>& files);

 private:
  RisingSum user_us_;
  RisingSum system_us_;
  RisingSum faults_;
  RisingSum faults_major_;
  RisingSum read_bytes_;
  RisingSum written_bytes_;
  std::optional<HostTime> looked_;
  uint64_t cpu_us_ = 0;  ///< At that moment.
};

}  // namespace muster::agent
