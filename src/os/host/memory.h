#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/file/files.h"
#include "os/host/host_activity.h"
#include "os/host/throttling.h"
#include "os/process/pid.h"
#include "os/process/waits.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace muster::os {

/// What a set of processes uses now.
struct Usage {
  uint64_t memory_bytes = 0;  ///< Proportional set size: memory shared within the set counts once.
  bool exact =
      true;  ///< False where only resident sizes could be read (shared memory counts for each).
  Duration cpu{};  ///< User and system time of living processes, with their reaped children.
  bool operator==(const Usage&) const = default;
};

/// Bounds on what a set of processes uses, kept ready by the kernel.
struct Footprint {
  /// Memory that one process has to itself and shares with none outside: the anonymous memory of
  /// the largest.
  uint64_t least_bytes = 0;
  uint64_t most_bytes = 0;    ///< The sum of resident sizes: shared memory counts for each.
  Duration cpu{};             ///< As in Usage: user and system time.
  Duration cpu_system{};      ///< Of that, system time.
  uint64_t faults = 0;        ///< Page faults, with those of reaped children.
  uint64_t faults_major = 0;  ///< Of them, those that had to read.
  uint32_t threads = 0;
  /// Processes, and those ended ones that the main threads of these have not waited for.
  uint32_t processes = 0;
  /// Whether the main thread of the working process waits for other threads or for peers. The
  /// working process is the first that has computed a quarter as much as any other; nullopt if it
  /// cannot be seen.
  std::optional<bool> main_waits;
  bool main_in_disk = false;  ///< Whether that main thread waits for a disk or is otherwise stuck.
  uint32_t main_runs = 0;     ///< Main threads that compute, or would if they had a processor.
  Pid worker;                 ///< The process of that main thread; 0 if there is none.
  int32_t worker_nice = 0;    ///< Its niceness: -20 (yields to none) to 19.
  bool operator==(const Footprint&) const = default;
};

/// What a set of processes has done with files.
struct FileActivity {
  uint64_t read_bytes = 0;  ///< From disks, with reaped children.
  uint64_t written_bytes = 0;
  uint32_t open_files = 0;  ///< Descriptors, sockets and pipes among them.
  /// Moved by calls that read and write files and pipes, whether or not a disk was needed.
  uint64_t moved_bytes = 0;
  bool operator==(const FileActivity&) const = default;
};

/// Measures the memory and processor time of processes.
class Meter {
 public:
  virtual ~Meter() = default;
  /// Measures a set. Processes that are gone count as nothing. Walks the page tables of each with
  /// its memory map locked: several milliseconds per GiB, during which the process cannot get more
  /// memory.
  [[nodiscard]] virtual Usage measure(std::span<const Pid> processes) = 0;
  /// Returns bounds on what measure() would find, at the same small cost for every size.
  [[nodiscard]] virtual Footprint glance(std::span<const Pid> processes) = 0;
  /// Reads what a set has done with files, from the kernel's counters. Processes that are gone, or
  /// now belong to another user, count as nothing.
  [[nodiscard]] virtual FileActivity file_activity(std::span<const Pid> processes) = 0;
  /// Reads how much a process's control groups have held it back.
  [[nodiscard]] virtual Throttling throttling(Pid process) = 0;
  /// Returns the processor time that the Java virtual machines among the processes have spent
  /// collecting garbage; nullopt if there are none. Reads each of their threads.
  [[nodiscard]] virtual std::optional<Duration> collector_time(std::span<const Pid> processes) = 0;
  /// Finds out what a program is waiting for. `worker` is the process that does its work:
  /// Footprint::worker.
  [[nodiscard]] virtual Waits waits(std::span<const Pid> processes, Pid worker) = 0;
  /// Reads how busy this host is.
  [[nodiscard]] virtual HostActivity host_activity() = 0;
  /// Returns those of the folders that disk_left() may be asked about.
  [[nodiscard]] virtual std::vector<Path> local_folders(std::vector<Path> folders) = 0;
  /// Returns how much is left on the fullest disk that the folders are on; nullopt if that is
  /// unknown.
  [[nodiscard]] virtual std::optional<DiskSpace> disk_left(std::span<const Path> folders) = 0;
  /// Returns the processor time of the calling thread: what looking has cost.
  [[nodiscard]] virtual Duration time_spent() = 0;
  /// Returns how often the kernel has killed a process of this host's (or this container's) cgroup
  /// for lack of memory; 0 if that cannot be seen. A count that grew around an exit by SIGKILL is
  /// the mark of an OOM kill.
  [[nodiscard]] virtual uint64_t oom_kills() = 0;
};

[[nodiscard]] std::unique_ptr<Meter> make_meter();

/// Parses /proc/PID/smaps_rollup (the kernel's text) for its Pss; Corrupt if it has none.
[[nodiscard]] Result<uint64_t> parse_pss_bytes(std::string_view smaps_rollup);

}  // namespace muster::os
