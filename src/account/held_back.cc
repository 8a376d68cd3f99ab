#include "account/held_back.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::account {
namespace {

/// As a share of what it could have used, and in cores: a smaller loss hardly matters.
constexpr double kGotMax = 0.7;
constexpr double kMissedMin = 0.2;
/// A task that wants less cannot tell whether there was more.
constexpr double kWantedMin = 0.3;
/// As a share of the scheduler's periods: a task held back in fewer of them had no limit worth
/// mentioning.
constexpr double kThrottledMin = 0.1;

bool is_throttled(const TaskEvidence& task) {
  return task.hindrances.throttled.value_or(0) >= kThrottledMin;
}

}  // namespace

bool is_held_back(const TaskEvidence& task) {
  return task.cores.mean && task.cores.wanted && *task.cores.mean <= kGotMax * *task.cores.wanted &&
         *task.cores.wanted - *task.cores.mean >= kMissedMin;
}

std::string why_held_back(const Evidence& evidence, const TaskEvidence& task) {
  bool any_held = false;
  bool any_free = false;
  for (const RoleEvidence& role : evidence.roles) {
    for (const TaskEvidence& other : role.members) {
      if (other.name != task.name && other.host == task.host && other.cores.mean &&
          other.cores.wanted.value_or(0) >= kWantedMin) {
        (is_held_back(other) ? any_held : any_free) = true;
      }
    }
  }
  if (is_throttled(task)) {
    return fmt::format(
        "the processor limit of its control group held it back in {:.0f} % of the "
        "scheduler's periods",
        *task.hindrances.throttled * 100);
  }
  constexpr std::string_view kLimit = "a processor limit of its container holds it back";
  std::string others =
      task.hindrances.nice.value_or(0) > 0
          ? fmt::format("others keep {} busy, and it gives way to them (nice {:.0f})",
                        task.host.value, *task.hindrances.nice)
          : fmt::format("others keep {} busy", task.host.value);
  if (task.hindrances.throttled) {
    return others;
  }
  if (any_held && !any_free) {
    return others;
  }
  return any_free && !any_held ? std::string(kLimit) : fmt::format("{}, or {}", others, kLimit);
}

std::string after_held_back(const TaskEvidence& task) {
  if (is_throttled(task)) {
    return "request more cores (`vcores`), or have the limit raised (`cpu.max`, "
           "`cpu.cfs_quota_us`)";
  }
  if (task.hindrances.nice.value_or(0) > 0) {
    return fmt::format("run it without `nice`, or check what else is running on {}",
                       task.host.value);
  }
  if (task.hindrances.throttled) {
    return fmt::format("check what else is running on {}", task.host.value);
  }
  return fmt::format(
      "check what else is running on {}, and whether `nr_throttled` grows in the `cpu.stat` of its "
      "control group",
      task.host.value);
}

bool is_short_of_memory(const TaskEvidence& task) {
  return task.hindrances.memory_waiting.value_or(0) >= kWaitingForMemoryMuch;
}

std::string why_short_of_memory(const TaskEvidence& task) {
  const double over_high = task.hindrances.over_high_per_s.value_or(0);
  constexpr double kSeldom = 0.1;
  return fmt::format("its control group waited for memory for {:.0f} % of the time{}",
                     task.hindrances.memory_waiting.value_or(0) * 100,
                     over_high < kSeldom ? std::string()
                                         : fmt::format(", and was held up for being over "
                                                       "`memory.high` {:.1f} times per second",
                                                       over_high));
}

std::string after_short_of_memory(const TaskEvidence& task) {
  return task.hindrances.over_high_per_s.value_or(0) > 0
             ? "request more memory, or have `memory.high` raised"
             : "request more memory, or hold less: what it maps or holds is taken from it and "
               "read again";
}

double collecting_of(const TaskEvidence& task) {
  constexpr double kBusy = 0.05;  // Cores: a task that uses less loses little.
  return task.hindrances.collector_cores && task.cores.mean.value_or(0) >= kBusy
             ? std::min(1.0, *task.hindrances.collector_cores / *task.cores.mean)
             : 0;
}

std::string after_collecting() {
  return "give it a larger heap (`-Xmx`) and as much more memory, or keep less: what is in use "
         "nearly fills the heap";
}

}  // namespace muster::account
