#include "agent/attempt/usage_watch.h"

#include "agent/sampling/visible_gpus.h"
#include "rt/wait_until.h"

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kFirstLook = std::chrono::milliseconds(200);
constexpr Duration kNormally = std::chrono::seconds(1);
constexpr Duration kClosely = std::chrono::milliseconds(200);
/// Close to a memory limit looks are more frequent than samples.
constexpr Duration kSampleMin = std::chrono::milliseconds(900);

}  // namespace

UsageWatch::UsageWatch(Deps deps)
    : deps_(deps),
      looks_({.share_per_mille = 2}, deps.loop.now()),
      moved_(deps.loop),
      scope_(deps.loop) {
  scope_.spawn(run());
}

void UsageWatch::attempt_started() {
  due_ = deps_.loop.now() + kFirstLook;
  moved_.pulse();
}

void UsageWatch::attempt_ended(job::AttemptId attempt, const job::Exit& exit) {
  const auto found = meters_.find(attempt);
  if (found == meters_.end() && exit.memory_peak_bytes > 0) {
    // Over before the first look: its peak is all that is known.
    deps_.samples.measured(attempt, {{.metric = metrics::Builtin::ContainerMemoryPeak,
                                      .value = static_cast<double>(exit.memory_peak_bytes)}});
  }
  meters_.erase(attempt);
  deps_.samples.ended(attempt);
}

rt::Async<> UsageWatch::run() {
  while (true) {
    if (due_ == HostTime::max()) {
      co_await moved_.wait();
    } else if (!co_await rt::wait_until(deps_.loop, due_, moved_)) {
      due_ = look();
    }
  }
}

HostTime UsageWatch::look() {
  const Duration before = deps_.meter.time_spent() - deps_.attempts.close_looks().paid();
  const bool samples = deps_.loop.now() - sampled_ >= kSampleMin;
  bool closely = false;
  bool any = false;
  bool gpus = false;
  const std::vector<os::GpuReading> gpu_readings =
      samples && deps_.gpus != nullptr ? deps_.gpus->latest() : std::vector<os::GpuReading>();
  deps_.attempts.for_each_run([&](TaskRun& run) {
    if (const std::optional<TaskRun::Use> use = run.watch_memory()) {
      any = true;
      gpus = gpus || (deps_.gpus != nullptr && may_see_gpus(run.environment()));
      if (samples) {
        sample(run, *use, deps_.loop.now());
        sample_gpus(run, gpu_readings);
      }
      closely = closely || run.near_limit();
    }
  });
  deps_.attempts.boards().watch_memory();
  if (deps_.gpus != nullptr) {
    deps_.gpus->watch(gpus);
  }
  const HostTime now = deps_.loop.now();
  if (samples && any) {
    sample_host();
    sampled_ = now;
  }
  looks_.pay(now, deps_.meter.time_spent() - deps_.attempts.close_looks().paid() - before);
  // Many processes make a look dear: then the next one comes later.
  const HostTime next = std::max(now + (closely ? kClosely : kNormally), looks_.free_at());
  return any ? next : HostTime::max();
}

void UsageWatch::sample(TaskRun& run, const TaskRun::Use& use, HostTime now) {
  const job::AttemptId attempt = run.names().attempt;
  const os::FileActivity files = deps_.meter.file_activity(use.processes);
  deps_.samples.measured(attempt, meters_[attempt].read(now, use, files));
  const TaskRun::Pause pause = run.look_for_pause(use, files, deps_.samples.told(attempt));
  deps_.samples.pauses(attempt, pause.quiet, pause.fruitless);
}

void UsageWatch::sample_gpus(const TaskRun& run, const std::vector<os::GpuReading>& all) {
  if (all.empty()) {
    return;
  }
  TaskMeter::GpuUse use =
      meters_[run.names().attempt].read_gpus(visible_gpus(run.environment(), all));
  deps_.samples.measured(run.names().attempt, use.readings, std::move(use.named));
}

void UsageWatch::sample_host() {
  using metrics::Builtin;
  const os::HostActivity host = deps_.meter.host_activity();
  std::vector<metrics::Reading> readings;
  const auto add = [&](Builtin metric, const auto& value) {
    if (value) {
      readings.push_back({.metric = metric, .value = static_cast<double>(*value)});
    }
  };
  add(Builtin::SystemLoad, host.load);
  add(Builtin::SystemMemoryAvailable, host.memory_available_bytes);
  add(Builtin::SystemMemoryLimit, host.memory_bytes);
  add(Builtin::SystemPressureCpu, host.cpu_pressure);
  add(Builtin::SystemPressureMemory, host.memory_pressure);
  add(Builtin::SystemPressureIo, host.io_pressure);
  add(Builtin::SystemDiskRead, host.disk_read_bytes);
  add(Builtin::SystemDiskWrite, host.disk_written_bytes);
  add(Builtin::SystemNetworkReceive, host.received_bytes);
  add(Builtin::SystemNetworkTransmit, host.sent_bytes);
  deps_.samples.measured(std::nullopt, readings);
}

}  // namespace muster::agent
