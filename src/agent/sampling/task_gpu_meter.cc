#include "agent/sampling/task_gpu_meter.h"

#include "agent/sampling/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

using metrics::Builtin;

/// Joins one field of all GPUs that report it; nothing if none does.
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

/// Returns a reading for one of several GPUs.
metrics::NamedReading reading_of(Builtin id, uint32_t index, double value) {
  metrics::Metric metric = metrics::metric_of(id);
  metric.name += fmt::format(".{}", index);
  return {.metric = std::move(metric), .value = value};
}

}  // namespace

TaskGpuMeter::Use TaskGpuMeter::read(const std::vector<os::GpuReading>& gpus) {
  Use use;
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

std::optional<uint64_t> TaskGpuMeter::new_errors(const std::vector<os::GpuReading>& gpus) {
  bool told = false;
  for (const os::GpuReading& gpu : gpus) {
    if (!gpu.errors) {
      continue;
    }
    told = true;
    const auto [seen, first] = errors_.try_emplace(gpu.index, *gpu.errors);
    // A reloaded driver counts from 0 again.
    errors_new_ += *gpu.errors > seen->second ? *gpu.errors - seen->second : 0;
    seen->second = *gpu.errors;
  }
  return told ? std::optional(errors_new_) : std::nullopt;
}

}  // namespace muster::agent
