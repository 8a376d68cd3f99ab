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

/// How much its control groups, from its own up to the outermost visible one, have held a process
/// back since they began. A group may hold other processes as well.
struct Throttling {
  /// Scheduler periods in which one of the groups with a processor limit wanted to run, and how
  /// often one of them had used up its limit in such a period; 0 if there is no limit. nullopt if
  /// it cannot be seen.
  struct Cpu {
    uint64_t periods = 0;
    uint64_t throttled = 0;
    bool operator==(const Cpu&) const = default;
  };
  std::optional<Cpu> cpu;
  /// Time in which some process of its group waited for memory to become available or to be read
  /// again. Only in version 2 of control groups.
  std::optional<Duration> memory;
  /// How often the group was throttled for being over `memory.high`.
  uint64_t over_memory_high = 0;
  bool operator==(const Throttling&) const = default;
};

/// Reads the throttling of many processes repeatedly. Which groups a process is in is noticed at
/// once; which of them have a limit is checked again every kThrottlingLooks reads of processes in
/// these groups.
class ThrottlingReader {
 public:
  explicit ThrottlingReader(Path cgroup_root) : cgroup_root_(std::move(cgroup_root)) {}

  /// Reads by the text of the process's /proc/PID/cgroup: one or two small files, plus one for each
  /// group with a limit.
  [[nodiscard]] Throttling read(std::string_view proc_pid_cgroup);

 private:
  /// What has to be read for processes that have the same groups.
  struct Groups {
    std::vector<Path> limited;
    bool seen = false;  ///< Whether a limit could be seen if there were one.
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
