#include "agent/attempt/usage_watch.h"

#include "agent/sampling/visible_gpus.h"
#include "rt/wait_until.h"

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kFirstLook = std::chrono::milliseconds(200);
constexpr Duration kNormally = std::chrono::seconds(1);
/// Looks come early or late by up to one part in this many of the interval between them, and no
/// more, so that each second has about one.
constexpr int64_t kUneven = 11;
constexpr Duration kClosely = std::chrono::milliseconds(200);
/// Close to a memory limit looks are more frequent than samples.
constexpr Duration kSampleMin = std::chrono::milliseconds(900);
constexpr uint32_t kLooksPerCollectorLook = 10;
/// Finding out what a program waits for, and what holds it back, takes many reads.
constexpr uint32_t kLooksPerCloseLook = 2;
/// As a share of the time: what other programs of the host draw on a screen is not the task's work.
constexpr double kIdleGpu = 0.05;

}  // namespace

UsageWatch::UsageWatch(Deps deps)
    : deps_(deps),
      jitter_(static_cast<uint64_t>(deps.loop.now().time_since_epoch().count())),
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
  const auto found = watched_.find(attempt);
  if (found == watched_.end() && exit.memory_peak_bytes > 0) {
    // It ended before the first look, so its peak is all that is known.
    deps_.samples.measured(attempt, {{.metric = metrics::Builtin::ContainerMemoryPeak,
                                      .value = static_cast<double>(exit.memory_peak_bytes)}});
  }
  watched_.erase(attempt);
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
  const os::FamilyRound round = deps_.processes.begin_round();
  deps_.attempts.for_each_run([&](TaskRun& run) {
    if (const std::optional<TaskRun::Use> use = run.watch_memory(round)) {
      any = true;
      gpus = gpus || (deps_.gpus != nullptr && may_see_gpus(run.environment()));
      if (samples) {
        sample(run, *use, gpu_readings);
      }
      closely = closely || run.near_limit();
    }
  });
  deps_.attempts.boards().watch_memory(round);
  if (deps_.gpus != nullptr) {
    deps_.gpus->watch(gpus);
  }
  const HostTime now = deps_.loop.now();
  if (samples && any) {
    sample_host();
    sampled_ = now;
  }
  looks_.pay(now, deps_.meter.time_spent() - deps_.attempts.close_looks().paid() - before);
  // Many processes make a look expensive; then the next one comes later.
  const Duration mean = closely ? kClosely : kNormally;
  const HostTime next = std::max(now + jitter_.around(mean, mean / kUneven), looks_.free_at());
  return any ? next : HostTime::max();
}

UsageWatch::Watched& UsageWatch::watch_of(const TaskRun& run) {
  const auto [found, fresh] = watched_.try_emplace(run.names().attempt);
  if (fresh) {
    std::vector<os::Path> folders = {run.names().work_folder};
    const auto checkpoints = run.environment().find("MUSTER_CHECKPOINT_DIR");
    if (checkpoints != run.environment().end()) {
      folders.emplace_back(checkpoints->second);
    }
    found->second.folders = deps_.meter.local_folders(std::move(folders));
  }
  return found->second;
}

void UsageWatch::sample(TaskRun& run, const TaskRun::Use& use,
                        const std::vector<os::GpuReading>& all_gpus) {
  const HostTime now = deps_.loop.now();
  const job::AttemptId attempt = run.names().attempt;
  const os::FileActivity files = deps_.meter.file_activity(use.processes);
  Watched& watched = watch_of(run);
  deps_.samples.measured(attempt, watched.usage.read(now, use, files));
  // Virtual machines have many threads, so they are read rarely.
  const uint32_t look = watched.looks++;
  if (look % kLooksPerCloseLook == 0) {
    deps_.samples.measured(attempt,
                           watched.waits.read(deps_.meter.waits(use.processes, use.print.worker)));
    const std::optional<Duration> collector_time = look % kLooksPerCollectorLook == 0
                                                       ? deps_.meter.collector_time(use.processes)
                                                       : std::nullopt;
    deps_.samples.measured(
        attempt, watched.hindrances.read(now, use.print, deps_.meter.throttling(use.print.worker),
                                         collector_time));
  }
  if (const auto left = deps_.meter.disk_left(watched.folders)) {
    using metrics::Builtin;
    deps_.samples.measured(attempt, {{.metric = Builtin::ContainerDiskAvailable,
                                      .value = static_cast<double>(left->free_bytes)},
                                     {.metric = Builtin::ContainerDiskCapacity,
                                      .value = static_cast<double>(left->total_bytes)}});
  }
  LifeSigns signs = signs_of(run, use, files);
  if (!all_gpus.empty()) {
    const std::vector<os::GpuReading> gpus = visible_gpus(run.environment(), all_gpus);
    TaskGpuMeter::Use gpu_use = watched.gpus.read(gpus);
    deps_.samples.measured(attempt, gpu_use.readings, std::move(gpu_use.named));
    signs.gpu_busy = std::ranges::any_of(
        gpus, [](const os::GpuReading& gpu) { return gpu.utilization.value_or(0) > kIdleGpu; });
  }
  deps_.samples.pauses(attempt, watched.quiet.look(now, signs), watched.progress.look(now, signs));
}

/// What people do in sessions beside the program is no sign that the program is alive.
LifeSigns UsageWatch::signs_of(TaskRun& run, const TaskRun::Use& use,
                               const os::FileActivity& files) {
  LifeSigns signs{.cpu = use.print.cpu,
                  .output_bytes = run.output_bytes(),
                  .moved_bytes = files.moved_bytes,
                  .faults = use.print.faults,
                  .told = deps_.samples.told(run.names().attempt),
                  .news = run.look_for_news()};
  if (run.family().has_guests()) {
    const std::vector<os::Pid> own = run.family().own();
    const os::Footprint print = deps_.meter.glance(own);
    signs.cpu = print.cpu;
    signs.faults = print.faults;
    signs.moved_bytes = deps_.meter.file_activity(own).moved_bytes;
  }
  return signs;
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
  add(Builtin::SystemSwapIn, host.swapped_in_bytes);
  add(Builtin::SystemNetworkReceive, host.received_bytes);
  add(Builtin::SystemNetworkTransmit, host.sent_bytes);
  add(Builtin::NetworkSpeed, host.network_bytes_per_s);
  deps_.samples.measured(std::nullopt, readings);
}

}  // namespace muster::agent
