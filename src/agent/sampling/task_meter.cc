#include "agent/sampling/task_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace muster::agent {
namespace {

using metrics::Builtin;

/// The kernel counts processor time in ticks of 10 ms: more digits would be noise.
double seconds_of(uint64_t microseconds) {
  return std::round(static_cast<double>(microseconds) / 1e4) / 1e2;
}

double rounded_share(double share) { return std::round(share * 1e3) / 1e3; }

/// One field of all GPUs that tell it, together; nothing if none does.
template <class Field, class Join>
std::optional<double> joined(const std::vector<os::GpuReading>& gpus,
                             std::optional<Field> os::GpuReading::* field, Join join) {
  std::optional<double> all;
  for (const os::GpuReading& gpu : gpus) {
    if (const std::optional<Field>& value = gpu.*field) {
      const auto number = static_cast<double>(*value);
      all = all ? join(*all, number) : number;
    }
  }
  return all;
}

/// A metric of one of several GPUs.
metrics::NamedReading reading_of(Builtin id, uint32_t index, double value) {
  metrics::Metric metric = metrics::metric_of(id);
  metric.name += fmt::format(".{}", index);
  return {.metric = std::move(metric), .value = value};
}

}  // namespace

uint64_t TaskMeter::Rising::take(uint64_t seen) {
  total_ += seen > last_ ? seen - last_ : 0;
  last_ = seen;
  return total_;
}

std::vector<metrics::Reading> TaskMeter::read(HostTime now, const TaskRun::Use& use,
                                              const std::optional<os::FileActivity>& files) {
  std::vector<metrics::Reading> readings;
  const auto add = [&](Builtin metric, double value) {
    readings.push_back({.metric = metric, .value = value});
  };
  const auto add_count = [&](Builtin metric, uint64_t value) {
    add(metric, static_cast<double>(value));
  };
  const Duration user_now = use.print.cpu - use.print.cpu_system;
  const uint64_t user = user_us_.take(static_cast<uint64_t>(user_now.count()));
  const uint64_t system = system_us_.take(static_cast<uint64_t>(use.print.cpu_system.count()));
  if (looked_ && now > *looked_) {
    const auto passed = std::chrono::duration<double, std::micro>(now - *looked_).count();
    add(Builtin::ContainerCpuUsage,
        rounded_share(static_cast<double>(user + system - cpu_us_) / passed));
  }
  looked_ = now;
  cpu_us_ = user + system;
  add(Builtin::ContainerCpuTimeUser, seconds_of(user));
  add(Builtin::ContainerCpuTimeSystem, seconds_of(system));
  add_count(Builtin::ContainerMemoryUsage, use.memory_bytes);
  add_count(Builtin::ContainerMemoryPeak, use.memory_peak_bytes);
  if (use.memory_limit_bytes > 0) {
    add_count(Builtin::ContainerMemoryLimit, use.memory_limit_bytes);
  }
  add_count(Builtin::ContainerPageFaults, faults_.take(use.print.faults));
  add_count(Builtin::ContainerPageFaultsMajor, faults_major_.take(use.print.faults_major));
  add_count(Builtin::ProcessThreads, use.print.threads);
  add_count(Builtin::ContainerProcesses, use.print.processes);
  if (use.print.main_waits) {
    add(Builtin::ProcessWaiting, *use.print.main_waits ? 1 : 0);
  }
  add_count(Builtin::ProcessRunning, use.print.main_runs);
  add(Builtin::ProcessDiskWaiting, use.print.main_in_disk ? 1 : 0);
  if (files) {
    add_count(Builtin::ContainerDiskRead, read_bytes_.take(files->read_bytes));
    add_count(Builtin::ContainerDiskWrite, written_bytes_.take(files->written_bytes));
    add_count(Builtin::ProcessOpenFiles, files->open_files);
  }
  return readings;
}

namespace {

/// The share of periods since the last look that were throttled.
std::optional<double> throttled_share(const std::optional<os::Throttling::Cpu>& before,
                                      const std::optional<os::Throttling::Cpu>& now) {
  if (!before || !now) {
    return std::nullopt;
  }
  if (now->periods < before->periods || now->throttled < before->throttled) {
    return std::nullopt;  // Another group.
  }
  const uint64_t periods = now->periods - before->periods;
  return periods == 0 ? 0
                      : std::min(1.0, static_cast<double>(now->throttled - before->throttled) /
                                          static_cast<double>(periods));
}

}  // namespace

std::vector<metrics::Reading> TaskMeter::read_hindrances(
    HostTime now, const os::Footprint& print, const os::Throttling& throttling,
    const std::optional<Duration>& collector_time) {
  std::vector<metrics::Reading> readings;
  const auto add = [&](Builtin metric, double value) {
    readings.push_back({.metric = metric, .value = value});
  };
  if (throttling_) {
    if (const auto share = throttled_share(throttling_->cpu, throttling.cpu)) {
      add(Builtin::ContainerCpuThrottled, rounded_share(*share));
    }
    if (throttling.memory && throttling_->memory && now > throttling_at_) {
      const Duration waited = *throttling.memory - *throttling_->memory;
      const double share = std::chrono::duration<double>(waited) /
                           std::chrono::duration<double>(now - throttling_at_);
      add(Builtin::ContainerMemoryPressure, rounded_share(std::clamp(share, 0.0, 1.0)));
    }
  }
  if (const uint64_t over = over_memory_high_.take(throttling.over_memory_high); over > 0) {
    add(Builtin::ContainerMemoryHigh, static_cast<double>(over));
  }
  if (print.worker_nice > 0) {
    add(Builtin::ProcessNice, print.worker_nice);
  }
  if (collector_time) {
    add(Builtin::JvmCollectorTime,
        seconds_of(collector_us_.take(static_cast<uint64_t>(collector_time->count()))));
  }
  throttling_ = throttling;
  throttling_at_ = now;
  return readings;
}

std::vector<metrics::Reading> TaskMeter::read_waits(const os::Waits& waits) {
  constexpr uint32_t kLooksUnfedMax = 10;
  if (waits.for_children) {
    const bool fed = sleeps_ > 0 && waits.sleeps > sleeps_;
    ever_fed_ = ever_fed_ || fed;
    looks_unfed_ = fed ? 0 : looks_unfed_ + 1;
    sleeps_ = waits.sleeps;
  }
  const bool for_children = waits.for_children && ever_fed_ && looks_unfed_ < kLooksUnfedMax;
  const auto share = [](bool at_this_moment) { return at_this_moment ? 1.0 : 0.0; };
  std::vector<metrics::Reading> readings = {
      {.metric = Builtin::ProcessSleeping, .value = share(waits.for_time)},
      {.metric = Builtin::ProcessSocketWaiting, .value = share(waits.for_socket)},
      {.metric = Builtin::ProcessNameWaiting, .value = share(waits.for_name)},
      {.metric = Builtin::ProcessChildWaiting, .value = share(for_children)}};
  if (waits.for_python_lock) {
    readings.push_back({.metric = Builtin::PythonLockWaiting, .value = *waits.for_python_lock});
  }
  return readings;
}

TaskMeter::GpuUse TaskMeter::read_gpus(const std::vector<os::GpuReading>& gpus) {
  GpuUse use;
  const auto add = [&](Builtin metric, const std::optional<double>& value) {
    if (value) {
      use.readings.push_back({.metric = metric, .value = *value});
    }
  };
  const auto sum = [](double one, double other) { return one + other; };
  const auto most = [](double one, double other) { return std::max(one, other); };
  const std::optional<double> busy = joined(gpus, &os::GpuReading::utilization, sum);
  const auto known = std::ranges::count_if(
      gpus, [](const os::GpuReading& gpu) { return gpu.utilization.has_value(); });
  add(Builtin::GpuUtilization,
      busy ? std::optional(rounded_share(*busy / static_cast<double>(known))) : std::nullopt);
  add(Builtin::GpuMemoryUsage, joined(gpus, &os::GpuReading::memory_used_bytes, sum));
  add(Builtin::GpuMemoryLimit, joined(gpus, &os::GpuReading::memory_bytes, sum));
  add(Builtin::GpuPower, joined(gpus, &os::GpuReading::power_w, sum));
  add(Builtin::GpuTemperature, joined(gpus, &os::GpuReading::temperature_c, most));
  if (const std::optional<uint64_t> errors = new_errors(gpus)) {
    add(Builtin::GpuErrors, static_cast<double>(*errors));
  }
  if (gpus.size() < 2) {
    return use;
  }
  for (const os::GpuReading& gpu : gpus) {
    if (gpu.utilization) {
      use.named.push_back(reading_of(Builtin::GpuUtilization, gpu.index, *gpu.utilization));
    }
    if (gpu.memory_used_bytes) {
      use.named.push_back(reading_of(Builtin::GpuMemoryUsage, gpu.index,
                                     static_cast<double>(*gpu.memory_used_bytes)));
    }
  }
  return use;
}

std::optional<uint64_t> TaskMeter::new_errors(const std::vector<os::GpuReading>& gpus) {
  bool told = false;
  for (const os::GpuReading& gpu : gpus) {
    if (!gpu.errors) {
      continue;
    }
    told = true;
    const auto [seen, first] = gpu_errors_.try_emplace(gpu.index, *gpu.errors);
    // A driver that is loaded again counts from 0.
    gpu_errors_new_ += *gpu.errors > seen->second ? *gpu.errors - seen->second : 0;
    seen->second = *gpu.errors;
  }
  return told ? std::optional(gpu_errors_new_) : std::nullopt;
}

}  // namespace muster::agent
