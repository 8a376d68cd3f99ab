#pragma once

#include "base/time.h"
#include "os/file/files.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Reads it again and again, of many processes. Which groups a process is in is seen at once; which
/// of them have a limit is looked at anew every kThrottlingLooks reads of processes in these
/// groups.
class ThrottlingReader {
 public:
  explicit ThrottlingReader(Path cgroup_root) : cgroup_root_(std::move(cgroup_root)) {}

  /// Reads by what /proc/PID/cgroup tells of the process: one or two small files, and one for each
  /// group with a limit.
  [[nodiscard]] Throttling read(std::string_view proc_pid_cgroup);

 private:
  /// What is to be read of the processes that have the same groups.
  struct Groups {
    std::vector<Path> limited;
    bool seen = false;  ///< Whether a limit could be seen, were there one.
    Path with_events;   ///< That of its own in version 2; empty without one.
    uint32_t looks_left = 0;
  };

  [[nodiscard]] const Groups& groups_of(std::string_view proc_pid_cgroup);
  [[nodiscard]] Groups find_groups(std::string_view proc_pid_cgroup) const;

  Path cgroup_root_;
  std::map<std::string, Groups, std::less<>> known_;  ///< By /proc/PID/cgroup.
};

/// With a close look every other second: about once a minute.
inline constexpr uint32_t kThrottlingLooks = 30;

}  // namespace muster::os
