#pragma once

#include "agent/attempt/attempts.h"
#include "agent/attempt/progress_watch.h"
#include "agent/attempt/quiet_watch.h"
#include "agent/attempt/watch_budget.h"
#include "agent/sampling/hindrance_meter.h"
#include "agent/sampling/sample_queue.h"
#include "agent/sampling/task_gpu_meter.h"
#include "agent/sampling/task_meter.h"
#include "agent/sampling/wait_meter.h"
#include "base/jitter.h"
#include "os/host/gpu_meter.h"
#include "os/host/memory.h"
#include "os/process/processes.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <map>
#include <vector>

namespace muster::agent {

/// Looks about once a second at what the running attempts and the host use: measures them for the
/// master, including how long they have been quiet, and ends those over their memory limit.
/// Measures its own time, too, and looks less often where it would cost more than its share. Lives
/// on the loop's thread.
class UsageWatch {
 public:
  /// What it works with. All must outlive it.
  struct Deps {
    rt::Loop& loop;
    os::Processes& processes;
    Attempts& attempts;
    os::Meter& meter;
    SampleQueue& samples;
    os::GpuMeter* gpus = nullptr;  ///< nullptr: GPUs are not measured.
  };

  explicit UsageWatch(Deps deps);
  UsageWatch(const UsageWatch&) = delete;
  UsageWatch& operator=(const UsageWatch&) = delete;

  /// An attempt has just started: the next look comes soon.
  void attempt_started();
  /// An attempt has ended: its last samples go to the queue now.
  void attempt_ended(job::AttemptId attempt, const job::Exit& exit);

 private:
  /// What is remembered of one attempt from look to look.
  struct Watched {
    TaskMeter usage;
    WaitMeter waits;
    HindranceMeter hindrances;
    TaskGpuMeter gpus;
    QuietWatch quiet;
    ProgressWatch progress;
    uint32_t looks = 0;
    std::vector<os::Path> folders;  ///< Where it writes, as far as readable.
  };

  rt::Async<> run();
  /// Looks at everything; returns when the next look is due, never while nothing runs.
  [[nodiscard]] HostTime look();
  /// What is kept of one that runs; made at its first look.
  [[nodiscard]] Watched& watch_of(const TaskRun& run);
  void sample(TaskRun& run, const TaskRun::Use& use, const std::vector<os::GpuReading>& all_gpus);
  [[nodiscard]] LifeSigns signs_of(TaskRun& run, const TaskRun::Use& use,
                                   const os::FileActivity& files);
  void sample_host();

  Deps deps_;
  std::map<job::AttemptId, Watched> watched_;
  HostTime sampled_{};  ///< When all were last measured for the master.
  /// Much of what is seen is true only for a moment, so looks must not fall into step with a
  /// program.
  Jitter jitter_;
  WatchBudget looks_;  ///< All but the close looks, which have a budget of their own.
  HostTime due_ = HostTime::max();
  rt::Event moved_;  ///< The next look is due at another time.
  rt::Scope scope_;  ///< Last: its coroutine uses all of the above.
};

}  // namespace muster::agent
