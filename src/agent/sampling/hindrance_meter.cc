#include "agent/sampling/hindrance_meter.h"

#include "agent/sampling/rounding.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace muster::agent {
namespace {

using metrics::Builtin;

/// The share of periods since the last look that were throttled.
std::optional<double> throttled_share(const std::optional<os::Throttling::Cpu>& before,
                                      const std::optional<os::Throttling::Cpu>& now) {
  if (!before || !now) {
    return std::nullopt;
  }
  if (now->periods < before->periods || now->throttled < before->throttled) {
    return std::nullopt;  // The figures are of another group.
  }
  const uint64_t periods = now->periods - before->periods;
  return periods == 0 ? 0
                      : std::min(1.0, static_cast<double>(now->throttled - before->throttled) /
                                          static_cast<double>(periods));
}

}  // namespace

std::vector<metrics::Reading> HindranceMeter::read(HostTime now, const os::Footprint& print,
                                                   const os::Throttling& throttling,
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

}  // namespace muster::agent
