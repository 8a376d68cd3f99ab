#pragma once

#include "os/process/pid.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace muster::os {

/// What keeps a program from its work at this moment, by the system calls of its threads.
struct Waits {
  bool for_time = false;    ///< Its main thread sleeps for a time of its own choice.
  bool for_socket = false;  ///< Its main thread waits for a connection, or for an answer over one.
  bool for_name = false;    ///< That is the answer of a name server.
  /// Its main thread waits for what child processes that it has made by itself bring, and one of
  /// them computes: as that of a data loader.
  bool for_children = false;
  /// How often its main thread has gone to sleep so far, where that is so: as long as it grows,
  /// something comes. Who only waits for the end of children does not wake.
  uint64_t sleeps = 0;
  /// How many of its threads wait for Python's global lock, by some of them; nullopt of a program
  /// of one thread, and of any that is not Python.
  std::optional<double> for_python_lock = std::nullopt;
  bool operator==(const Waits&) const = default;
};

/// The threads of Python programs that are looked at again and again. To list many threads costs
/// far more than to look at a few of them, so many are listed with every tenth look only.
class KnownThreads {
 public:
  /// The ids of a process that has several threads and runs Python; else none. Some may have ended.
  [[nodiscard]] const std::vector<int32_t>& of(Pid pid);

 private:
  struct Listed {
    std::vector<int32_t> ids;
    uint32_t looks = 0;  ///< For which they still serve.
  };
  std::map<int32_t, Listed> listed_;  ///< By the process.
};

/// Looks at the processes of a program, of which `worker` does the work. Costs some reads of small
/// files, however many threads and processes there are.
[[nodiscard]] Waits look_at_waits(std::span<const Pid> processes, Pid worker,
                                  KnownThreads& threads);

}  // namespace muster::os
