#pragma once

#include "os/process/pid.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace muster::os {

/// What a program is waiting for at this moment, by the system calls of its threads.
struct Waits {
  bool for_time = false;    ///< Its main thread sleeps for a time of its own choice.
  bool for_socket = false;  ///< Its main thread waits for a connection, or for data on one.
  bool for_name = false;    ///< What it waits for is the answer of a name server.
  /// Its main thread waits for what child processes bring that it started itself, and one of them
  /// computes: a data loader, for instance.
  bool for_children = false;
  /// How often its main thread has gone to sleep so far, if for_children is set: as long as it
  /// grows, data is arriving. A thread that only waits for its children to end does not wake up.
  uint64_t sleeps = 0;
  /// How many of its threads wait for Python's global lock, estimated from some of them; nullopt
  /// for a program with one thread, and for any that is not Python.
  std::optional<double> for_python_lock = std::nullopt;
  bool operator==(const Waits&) const = default;
};

/// The threads of Python programs that are looked at repeatedly. Listing many threads costs far
/// more than looking at a few of them, so long lists are renewed only with every tenth look.
class KnownThreads {
 public:
  /// Returns the thread ids of a process that has several threads and runs Python; empty for any
  /// other. Some may have ended.
  [[nodiscard]] const std::vector<int32_t>& of(Pid pid);

 private:
  struct Listed {
    std::vector<int32_t> ids;
    uint32_t looks = 0;  ///< For which the list still serves.
  };
  std::map<int32_t, Listed> listed_;  ///< By the process.
};

/// Looks at the processes of a program; `worker` does the work. Costs some reads of small files,
/// however many threads and processes there are.
[[nodiscard]] Waits look_at_waits(std::span<const Pid> processes, Pid worker,
                                  KnownThreads& threads);

}  // namespace muster::os
