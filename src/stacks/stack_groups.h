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
  /// What describe_vain_wait() says about everything that was read, if `report` is only a part of
  /// it.
  std::optional<std::string> vain_wait = std::nullopt;
  /// The job waits for its end. A task that it does not wait for, such as a parameter server, has
  /// nothing to do by nature.
  bool needed = true;
  /// It has reported steps, or printed several times, before it stopped progressing.
  bool got_on = false;
  std::optional<double> step = std::nullopt;  ///< The last one that its program has reported.
};

/// The process and thread by which a task is compared with its peers: the main thread of its first
/// Python process or, without one, of the first process that does more than wait for a child.
struct Telling {
  const Process* process = nullptr;  ///< nullptr: there is no process.
  const Thread* thread = nullptr;
};
[[nodiscard]] Telling telling_of(const Report& report);

/// At most this many are reported of what a thread waits for.
inline constexpr size_t kBehindMax = 3;
/// If the telling thread waits inside Python's own libraries, as for a lock, a queue or the end of
/// another thread or process: returns the threads and child processes that the program has started
/// and that are in its own code, beginning with those that do not themselves wait inside a library.
/// If it waits for a child process, or writes to a pipe, and none of those is known: returns the
/// child processes that wait for no other.
[[nodiscard]] std::vector<Telling> behind(const Report& report);
/// Returns "; its thread reader waits in read (load.py:12)" for each of them.
[[nodiscard]] std::string describe_behind(const Telling& telling, std::span<const Telling> others);

/// Returns whether a thread waits for Python's global lock while another thread of its process
/// runs; false if that could not be seen.
[[nodiscard]] bool waits_for_gil(const Process& process, const Thread& thread);
/// Returns a thread of a Java virtual machine that is collecting garbage at this moment; nullptr if
/// none is.
[[nodiscard]] const Thread* collector_of(const Process& process);
/// Returns the name of the collective call that it is in, "all_reduce"; "" if it is in none.
[[nodiscard]] std::string_view collective_in(const Thread& thread);
/// Returns whether native code that does more than wait is at work; known only if native frames
/// were read.
[[nodiscard]] bool is_computing(const Thread& thread);
/// Returns whether it is in a call of a GPU driver, or of torch.cuda that waits for the GPU.
/// Drivers busy-wait, so the kernel considers it to be computing.
[[nodiscard]] bool waits_for_gpu(const Thread& thread);
/// Returns whether it is in a call that ends when data arrives, so that it is worth watching.
[[nodiscard]] bool is_reading(const Thread& thread);
/// Returns whether it is in a call that ends when somebody takes its data.
[[nodiscard]] bool is_writing(const Thread& thread);
/// Returns whether it sleeps for a time chosen by the program, which ends without help.
[[nodiscard]] bool is_asleep(const Thread& thread);
/// Returns whether it waits for input on a named pipe, a terminal or a device, or for the other end
/// of a named pipe to be opened. A file system that does not answer looks different.
[[nodiscard]] bool is_awaiting_input(const Thread& thread);
/// Returns whether it is polling: it does nothing for a time, waits for an event no longer than
/// that, connects to a peer or watches files, as a program does that asks again and again, over the
/// network or in a folder, until something is there.
[[nodiscard]] bool is_asking(const Process& process, const Thread& thread);
/// Returns whether both are in the same function of their own code, even if in different lines.
[[nodiscard]] bool is_same_function(const Thread& one, const Thread& other);
/// Returns whether a thread, seen twice, has not left a place: its Python calls are the same apart
/// from the lines of the two innermost.
[[nodiscard]] bool is_same_place(const Thread& one, const Thread& other);

/// Tasks whose telling threads are at the same place.
struct Group {
  std::vector<size_t> members;  ///< Positions in the subjects, ascending.
  /// In a collective call, in a library that waits for its partners, or in a backward pass that is
  /// not computing and thus waits for them.
  bool waits_for_peers = false;
  bool read = true;  ///< Whether anything is known about them.
};

/// Groups by equality, smallest first; among equal sizes, the one with the first task. The threads
/// of one group are in the same functions at the same lines of files of the same name, in whatever
/// folder, or, if frames are unknown, have the same state and system call.
[[nodiscard]] std::vector<Group> group(std::span<const Subject> subjects);

/// Says what a thread does, for one or several tasks: "sleeps in load (train.py:31)", "wait in
/// all_reduce (train.py:12)".
[[nodiscard]] std::string describe(const Telling& telling, bool plural);
/// Returns ", run by `sh train.sh`" if only a command that the program has started shows what a
/// task does.
[[nodiscard]] std::string describe_start(const Report& report);
/// Returns whether one of its calls is in the program's own code.
[[nodiscard]] bool is_in_own_code(const Thread& thread);
/// Returns whether its innermost call, if known, is in a library.
[[nodiscard]] bool is_in_library(const Thread& thread);
/// Returns "load (train.py:31)", the innermost place in the program's own code; "" if no frame is
/// known.
[[nodiscard]] std::string place_of(const Thread& thread);
/// "load (train.py:31)"
[[nodiscard]] std::string to_string(const Frame& frame);
/// Returns "worker:0-6, worker:8": names in the order given, with neighbours joined.
[[nodiscard]] std::string join_tasks(std::span<const std::string> tasks);
/// The same for the tasks at these positions, in any order.
[[nodiscard]] std::string join_tasks(std::span<const Subject> subjects,
                                     std::span<const size_t> members);

/// Renders for people: a headline and the stacks of each group, smallest first.
[[nodiscard]] std::string to_text(std::span<const Subject> subjects);
/// The same as one line of JSON, schema muster.stacks/1.
[[nodiscard]] std::string to_json(std::span<const Subject> subjects, std::string_view job);

}  // namespace muster::stacks
