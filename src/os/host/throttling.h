#pragma once

#include "base/time.h"
#include "os/file/files.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::os {

/// What its control groups, from its own up to the outermost that can be seen, have held a process
/// back by since they began. A group may hold others as well.
struct Throttling {
  /// Periods of the scheduler in which one of the groups with a processor limit wanted to run, and
  /// how often one of them had used its limit up in such a period; 0 where there is no limit.
  /// nullopt: not to be seen.
  struct Cpu {
    uint64_t periods = 0;
    uint64_t throttled = 0;
    bool operator==(const Cpu&) const = default;
  };
  std::optional<Cpu> cpu;
  /// Time in which some process of its group waited for memory: to be had, or read again. Of
  /// version 2 of control groups.
  std::optional<Duration> memory;
  /// How often the group was held up for being over `memory.high`.
  uint64_t over_memory_high = 0;
  bool operator==(const Throttling&) const = default;
};

/// Reads it by what /proc/PID/cgroup tells of the process. Costs some reads of small files, of
/// counters only where there is a limit.
[[nodiscard]] Throttling read_throttling(std::string_view proc_pid_cgroup, const Path& cgroup_root);

}  // namespace muster::os
