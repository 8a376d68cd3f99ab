#pragma once

#include "agent/attempt/memory_reader.h"
#include "agent/attempt/watch_budget.h"
#include "os/host/cgroup.h"
#include "os/host/memory.h"
#include "os/process/processes.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::agent {

/// Keeps one attempt within its memory limit, by measuring its processes now and then and, where
/// this user may create control groups, through the kernel. Ends nothing itself: it only reports
/// that the attempt is over its limit, and why. Lives on the loop's thread.
class MemoryGuard {
 public:
  struct Deps {
    rt::Loop& loop;
    os::Meter& meter;
    WatchBudget& close_looks;
    std::shared_ptr<os::Cgroups> cgroups;  ///< nullptr: the limit is enforced by measuring alone.
  };

  /// `limit_bytes`: 0 for none. `name` is that of the control group.
  MemoryGuard(Deps deps, std::string name, uint64_t limit_bytes);
  MemoryGuard(const MemoryGuard&) = delete;
  MemoryGuard& operator=(const MemoryGuard&) = delete;

  /// Moves the attempt's process, which has just been started, into its control group.
  void begin(os::Pid process);
  /// Moves in one more process, which was not started by the first.
  void admit(os::Pid process);
  /// Set once the control group holds the process, or once there is none: only then is it known
  /// whether the kernel ended the process.
  [[nodiscard]] rt::Event& settled() { return settled_; }

  /// Reads what the attempt's living processes use.
  MemoryReader::Reading read(const std::vector<os::Pid>& members);
  /// Returns whether the last reading was over the limit, or the kernel has ended a process.
  [[nodiscard]] bool over() const { return !over_.empty(); }
  /// Returns whether memory is near its limit and must be read often: nothing else guards it.
  [[nodiscard]] bool near_limit() const;

  /// 0: there is none.
  [[nodiscard]] uint64_t limit_bytes() const { return limit_bytes_; }
  /// The largest memory use seen.
  [[nodiscard]] uint64_t peak_bytes() const { return peak_bytes_; }
  /// Why the attempt ended, where it ended for memory.
  struct Evidence {
    std::string text;         ///< With numbers; "" if it did not.
    bool of_machine = false;  ///< It was within its limit, but the machine ran out.
  };
  [[nodiscard]] Evidence evidence(const os::Exit& exit) const;

 private:
  rt::Async<> join_group(os::Pid process);
  void take_in(const std::vector<os::Pid>& members);
  [[nodiscard]] std::string killed_at_limit() const;

  Deps deps_;
  std::string name_;
  uint64_t limit_bytes_;
  MemoryReader reader_;
  uint64_t oom_kills_before_ = 0;  ///< On this host.
  uint64_t used_bytes_ = 0;
  uint64_t peak_bytes_ = 0;
  std::string over_;                   ///< Why.
  std::shared_ptr<os::Cgroup> group_;  ///< nullptr where none is delegated.
  bool took_in_ = false;               ///< Including those forked before it was in its group.
  bool group_is_whole_ = true;         ///< There were none: all their memory is counted there.
  rt::Event settled_;
  rt::Scope scope_;  ///< Last: its coroutine uses all of the above.
};

}  // namespace muster::agent
