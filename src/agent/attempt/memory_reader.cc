#include "agent/attempt/memory_reader.h"

#include <algorithm>
#include <optional>

namespace muster::agent {
namespace {

/// Totals up to this size are measured closely for the sake of the figure alone.
constexpr uint64_t kSmallBytes = 1ULL << 30;
/// The bounds may differ by this much before it matters: a sixteenth, and a program's libraries.
constexpr uint64_t kDoubtBytes = 32ULL << 20;

}  // namespace

MemoryReader::Reading MemoryReader::read(std::span<const os::Pid> processes, Group group,
                                         HostTime now) {
  os::Footprint print = meter_.glance(processes);
  const std::optional<uint64_t> counted =
      group.cgroup == nullptr ? std::nullopt : group.cgroup->memory_bytes();
  print.least_bytes = std::max(print.least_bytes, counted.value_or(0));
  print.most_bytes = std::max(print.most_bytes, print.least_bytes);
  Reading reading{.bytes = print.least_bytes, .print = print};
  if (counted && group.whole) {
    reading.over = limit_bytes_ > 0 && reading.bytes > limit_bytes_;
    return reading;
  }
  reading.over = limit_bytes_ > 0 && print.least_bytes > limit_bytes_;
  if (!reading.over && wants_close_look(print, processes.size()) && close_looks_.affords(now)) {
    const Duration before = meter_.time_spent();
    looked_ = meter_.measure(processes);
    looked_print_ = print;
    close_looks_.pay(now, meter_.time_spent() - before);
    reading.bytes = looked_.memory_bytes;
    reading.over = limit_bytes_ > 0 && looked_.exact && looked_.memory_bytes > limit_bytes_;
    return reading;
  }
  reading.bytes = reading.over ? print.least_bytes : estimate(print);
  return reading;
}

bool MemoryReader::wants_close_look(const os::Footprint& print, size_t processes) const {
  // A thirty-second below the limit: the bounds are some pages old, and programs grow.
  if (limit_bytes_ > 0 && print.most_bytes > limit_bytes_ - limit_bytes_ / 32) {
    return true;
  }
  const uint64_t doubt = print.most_bytes - print.least_bytes;
  return processes > 1 && print.most_bytes < kSmallBytes &&
         doubt > std::max(kDoubtBytes, print.most_bytes / 16);
}

/// Returns a value between the bounds, at the proportion that the last close look found.
uint64_t MemoryReader::estimate(const os::Footprint& print) const {
  if (looked_print_.most_bytes == 0 || !looked_.exact) {
    return print.most_bytes;
  }
  const double share =
      static_cast<double>(looked_.memory_bytes) / static_cast<double>(looked_print_.most_bytes);
  const auto scaled = static_cast<uint64_t>(static_cast<double>(print.most_bytes) * share);
  return std::clamp(scaled, print.least_bytes, std::max(print.least_bytes, print.most_bytes));
}

}  // namespace muster::agent
