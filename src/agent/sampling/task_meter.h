#pragma once

#include "agent/attempt/task_run.h"
#include "base/time.h"
#include "metrics/series.h"
#include "os/host/gpu_readings.h"
#include "os/host/memory.h"
#include "os/host/throttling.h"
#include "os/process/waits.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace muster::agent {

/// Turns what is seen of one attempt, look after look, into readings. Counters of a process that
/// somebody else reaped fall out of the sums: what is given never falls. Pure: the times are the
/// caller's.
class TaskMeter {
 public:
  /// `files`: where they were read, too.
  [[nodiscard]] std::vector<metrics::Reading> read(HostTime now, const TaskRun::Use& use,
                                                   const std::optional<os::FileActivity>& files);

  /// What holds it back, and how much of its time virtual machines take for themselves. Counters
  /// that begin again, as with another control group, are counted from there.
  [[nodiscard]] std::vector<metrics::Reading> read_hindrances(
      HostTime now, const os::Footprint& print, const os::Throttling& throttling,
      const std::optional<Duration>& collector_time);

  /// What kept it from its work at this moment. It waits for children only while they bring
  /// something.
  [[nodiscard]] std::vector<metrics::Reading> read_waits(const os::Waits& waits);

  struct GpuUse {
    std::vector<metrics::Reading> readings;
    /// Of each of several GPUs alone: "hw.gpu.utilization.3", by the host's index.
    std::vector<metrics::NamedReading> named;
  };
  /// What the GPUs that the attempt sees do together. Their errors count from its first look on.
  [[nodiscard]] GpuUse read_gpus(const std::vector<os::GpuReading>& gpus);

 private:
  [[nodiscard]] std::optional<uint64_t> new_errors(const std::vector<os::GpuReading>& gpus);

  /// A sum over processes, which come and go.
  class Rising {
   public:
    /// Returns everything that was added since the beginning.
    uint64_t take(uint64_t seen);

   private:
    uint64_t last_ = 0;
    uint64_t total_ = 0;
  };

  Rising user_us_;
  Rising system_us_;
  Rising faults_;
  Rising faults_major_;
  Rising read_bytes_;
  Rising written_bytes_;
  Rising collector_us_;
  Rising over_memory_high_;
  std::optional<os::Throttling> throttling_;  ///< At the last look,
  HostTime throttling_at_{};                  ///< which was then.
  uint64_t sleeps_ = 0;       ///< Of one that waits for its children, at the last look.
  uint32_t looks_unfed_ = 0;  ///< Since they last brought something.
  bool ever_fed_ = false;
  std::optional<HostTime> looked_;
  uint64_t cpu_us_ = 0;                      ///< At that moment.
  std::map<uint32_t, uint64_t> gpu_errors_;  ///< By the GPU's index, when it was seen last.
  uint64_t gpu_errors_new_ = 0;
};

}  // namespace muster::agent
