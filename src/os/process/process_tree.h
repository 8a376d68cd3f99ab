#pragma once

#include "base/result.h"
#include "os/process/pid.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace muster::os {

/// One process as /proc shows it.
struct ProcessInfo {
  Pid pid;
  Pid parent;
  Pid group;
  Pid session;
  bool zombie = false;
  uint64_t start_ticks = 0;  ///< Since boot; distinguishes a reused pid from the original.
  bool operator==(const ProcessInfo&) const = default;
};

/// Returns the folder that a process works in; "" if that cannot be seen or has been removed.
[[nodiscard]] std::filesystem::path working_folder(Pid pid);

/// Returns how a process ended that nobody has waited for, in the form of waitpid(); nullopt if it
/// is alive or gone. 0 also if the status is hidden.
[[nodiscard]] std::optional<int32_t> end_of_zombie(Pid pid);

/// Lists all processes of this host that can be seen.
[[nodiscard]] std::vector<ProcessInfo> list_processes();

/// Lists the processes below `root`, parents before children, without `root` itself. With a
/// subreaper at the root this includes those that left their group and session.
[[nodiscard]] std::vector<ProcessInfo> list_descendants(Pid root);

/// The living children of this process; nullopt if the kernel does not list them.
using OwnChildren = std::optional<std::vector<ProcessInfo>>;
[[nodiscard]] OwnChildren list_own_children();

/// Lists `child`, one of list_own_children(), with all its descendants and those orphans of its
/// group or session that this process adopted. Uses the kernel's lists of children, so that other
/// processes of the host cost nothing. Parents come before their children, except for orphans. May
/// miss a process that comes or goes meanwhile.
[[nodiscard]] std::vector<ProcessInfo> list_family(Pid child,
                                                   const std::vector<ProcessInfo>& own_children);
/// Returns those of list_own_children() that list_family() begins with: `child` first, if it is
/// alive.
[[nodiscard]] std::vector<ProcessInfo> family_roots(Pid child,
                                                    const std::vector<ProcessInfo>& own_children);

[[nodiscard]] std::vector<Pid> pids_of(const std::vector<ProcessInfo>& processes);

/// Reads about one process, or about the one that a thread with this id belongs to; nullopt if
/// there is none, or if it has ended and nobody has waited for it.
[[nodiscard]] std::optional<ProcessInfo> read_living(Pid pid);

/// Sends `signal` to all processes of a group. A group that is gone is a success.
[[nodiscard]] Status signal_group(Pid leader, int signal);

}  // namespace muster::os
