#pragma once

#include "stacks/stack_report.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::stacks {

/// One task and what was seen of it.
struct Subject {
  std::string task;  ///< "worker:7"
  std::string host;  ///< "" if unknown.
  Report report;     ///< Without processes: nothing could be read.
  /// What describe_vain_wait() says of all that was read, where `report` is only a part of it.
  std::optional<std::string> vain_wait = std::nullopt;
  /// The job waits for its end. One that it does not wait for, such as a parameter server, has
  /// nothing to do by nature.
  bool needed = true;
  /// It has reported steps, or printed several times, before it stood still.
  bool got_on = false;
  std::optional<double> step = std::nullopt;  ///< The last one that its program has reported.
};

/// The process and the thread by which a task is compared with its peers: the main thread of its
/// first Python process; without one, of the first process that does not only wait for a child.
struct Telling {
  const Process* process = nullptr;  ///< nullptr: there is no process.
  const Thread* thread = nullptr;
};
[[nodiscard]] Telling telling_of(const Report& report);

/// At most so many are told of what a thread waits for.
inline constexpr size_t kBehindMax = 3;
/// Where the telling thread waits inside Python's own libraries, as for a lock, a queue or the end
/// of somebody: the threads and child processes that the program has started and that are in its
/// own code, those first that do not wait inside a library as well. Where it waits for a child
/// process, or writes to a pipe, and no such is known: the child processes that wait for no other.
[[nodiscard]] std::vector<Telling> behind(const Report& report);
/// "; its thread reader waits in read (load.py:12)", for each of them.
[[nodiscard]] std::string describe_behind(const Telling& telling, std::span<const Telling> others);

/// Whether a thread waits for Python's global lock while another thread of its process runs; false
/// where nobody could see.
[[nodiscard]] bool waits_for_gil(const Process& process, const Thread& thread);
/// A thread of a Java virtual machine that collects garbage at this moment; nullptr if none does.
[[nodiscard]] const Thread* collector_of(const Process& process);
/// The name of the collective call that it is in, "all_reduce"; "" if it is in none.
[[nodiscard]] std::string_view collective_in(const Thread& thread);
/// Whether native code that does not only wait is at work: known where native frames were read.
[[nodiscard]] bool is_computing(const Thread& thread);
/// Whether it is in a call of a GPU's driver, or of torch.cuda that waits for the GPU. Drivers wait
/// at full speed, so that the kernel takes it for computing.
[[nodiscard]] bool waits_for_gpu(const Thread& thread);
/// Whether it is in a call that ends when something comes: it is worth to be watched.
[[nodiscard]] bool is_reading(const Thread& thread);
/// Whether it sleeps for a time that the program chose, which ends by itself.
[[nodiscard]] bool is_asleep(const Thread& thread);
/// Whether it waits for what somebody may write to a named pipe, a terminal or a device, or for
/// somebody to open a named pipe. A file system that does not answer looks different.
[[nodiscard]] bool is_awaiting_input(const Thread& thread);
/// Whether it does nothing for a time, waits for an event no longer than that, connects to somebody
/// or watches files: as one does that asks again and again for something, over the network or in a
/// folder, until it is there.
[[nodiscard]] bool is_asking(const Process& process, const Thread& thread);
/// Whether both are in the same function of their own code, if in different lines.
[[nodiscard]] bool is_same_function(const Thread& one, const Thread& other);
/// Whether a thread, seen twice, has not left a place: its Python calls are the same, but for the
/// lines of the two innermost.
[[nodiscard]] bool is_same_place(const Thread& one, const Thread& other);

/// Tasks whose telling threads stand at the same place.
struct Group {
  std::vector<size_t> members;  ///< Positions in the subjects, ascending.
  /// In a collective call, in a library that waits for its partners, or in a backward pass, which
  /// does where it does not compute.
  bool waits_for_peers = false;
  bool read = true;  ///< Whether anything is known of them.
};

/// Groups by equality, smallest first; of equal ones the one with the first task. The threads of
/// one group have the same functions at the same lines of files of the same name, in whatever
/// folder, or, where frames are unknown, the same state and system call.
[[nodiscard]] std::vector<Group> group(std::span<const Subject> subjects);

/// "sleeps in load (train.py:31)", "wait in all_reduce (train.py:12)": what a thread does, for one
/// or several tasks.
[[nodiscard]] std::string describe(const Telling& telling, bool plural);
/// ", run by `sh train.sh`", where only a command that a program has started tells what a task
/// does.
[[nodiscard]] std::string describe_start(const Report& report);
/// Whether one of its calls is one of the program's own code.
[[nodiscard]] bool is_in_own_code(const Thread& thread);
/// Whether the innermost of its calls, if it is known, is one of a library.
[[nodiscard]] bool is_in_library(const Thread& thread);
/// "load (train.py:31)", the innermost place in the program's own code; "" if no frame is known.
[[nodiscard]] std::string place_of(const Thread& thread);
/// "load (train.py:31)"
[[nodiscard]] std::string to_string(const Frame& frame);
/// "worker:0-6, worker:8": names in the order given, neighbours joined.
[[nodiscard]] std::string join_tasks(std::span<const std::string> tasks);
/// The same of the tasks at these positions, which may come in any order.
[[nodiscard]] std::string join_tasks(std::span<const Subject> subjects,
                                     std::span<const size_t> members);

/// What people read: a headline and the stacks of each group, smallest first.
[[nodiscard]] std::string to_text(std::span<const Subject> subjects);
/// The same as one line of JSON, schema muster.stacks/1.
[[nodiscard]] std::string to_json(std::span<const Subject> subjects, std::string_view job);

}  // namespace muster::stacks
