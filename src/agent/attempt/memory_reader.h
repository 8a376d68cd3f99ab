#pragma once

#include "agent/attempt/watch_budget.h"
#include "os/host/cgroup.h"
#include "os/host/memory.h"

#include <cstdint>
#include <span>

namespace muster::agent {

/// Measures what a set of processes uses, at a cost that does not grow with their size: by the
/// counters of their control group, or by bounds that the kernel keeps for each process. Only where
/// the bounds leave open whether a limit is exceeded, or how much several small processes share,
/// does it take a close look (os::Meter::measure), as often as a budget allows: such a look walks
/// the page tables, and a program that wants more memory meanwhile has to wait.
class MemoryReader {
 public:
  struct Reading {
    uint64_t bytes = 0;
    bool over = false;    ///< Definitely over the limit.
    os::Footprint print;  ///< Processor time, page faults and threads are those of now.
  };

  /// `limit_bytes`: 0 for none. `close_looks` may be shared with other readers.
  MemoryReader(os::Meter& meter, WatchBudget& close_looks, uint64_t limit_bytes)
      : meter_(meter), close_looks_(close_looks), limit_bytes_(limit_bytes) {}

  /// The control group of the processes.
  struct Group {
    const os::Cgroup* cgroup = nullptr;  ///< nullptr: there is none.
    /// The group has counted everything they use. Memory that a process took before it joined its
    /// group is charged to the old one; where that may be much, the group's count is only a lower
    /// bound.
    bool whole = true;
  };

  /// Reads at `now`.
  Reading read(std::span<const os::Pid> processes, Group group, HostTime now);

 private:
  [[nodiscard]] bool wants_close_look(const os::Footprint& print, size_t processes) const;
  [[nodiscard]] uint64_t estimate(const os::Footprint& print) const;

  os::Meter& meter_;
  WatchBudget& close_looks_;
  uint64_t limit_bytes_;
  /// The last close look, and the bounds at that moment.
  os::Usage looked_;
  os::Footprint looked_print_;
};

}  // namespace muster::agent
