#pragma once

#include "base/result.h"
#include "os/process/pid.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::os {

inline constexpr std::string_view kCgroupPrefix = "muster-";

struct CgroupLimits {
  uint64_t memory_bytes = 0;  ///< 0: no limit.
  uint32_t cpu_shares = 0;    ///< Relative weight in thousandths of a core; 0: the default.
};

/// A control group of its own below ours. Destroying it removes the group; one in which killed
/// processes are still ending is removed later, by its Cgroups or by remove_cgroups_of().
class Cgroup {
 public:
  virtual ~Cgroup() = default;
  /// Moves a process in; its later children follow. The kernel makes the caller wait until all its
  /// processors know, usually for ten milliseconds: not for an event loop's thread.
  virtual Status add(Pid pid) = 0;
  /// Returns how many processes the kernel has killed in this group for lack of memory.
  [[nodiscard]] virtual uint64_t oom_kills() const = 0;
  /// Returns what its processes use now: anonymous and shared memory and the files they have
  /// mapped, each page counted once; cache of files that they only read is not included. Costs the
  /// same at every size.
  [[nodiscard]] virtual std::optional<uint64_t> memory_bytes() const = 0;
  [[nodiscard]] virtual std::optional<uint64_t> memory_peak_bytes() const = 0;
};

/// Control groups, where this user may make them: v2 with a delegated subtree, or v1. Groups may be
/// made, used and destroyed on any thread; one group by one thread at a time.
class Cgroups {
 public:
  virtual ~Cgroups() = default;
  /// Makes a group named after kCgroupPrefix, `name` and the owner; removes those that could not be
  /// removed before, and those that some dead process left empty. Unsupported where none is
  /// delegated: limits are then enforced by watching (Meter).
  virtual Result<std::unique_ptr<Cgroup>> create(const std::string& name,
                                                 const CgroupLimits& limits) = 0;
};

/// Makes groups that are marked with `owner`, a process that outlives their members.
[[nodiscard]] std::shared_ptr<Cgroups> make_cgroups(Pid owner);

/// Removes the empty groups below ours that were made for `owner`; for a caller that has just seen
/// the last of their members end. May be repeated; groups that are still in use stay.
void remove_cgroups_of(Pid owner);

}  // namespace muster::os
