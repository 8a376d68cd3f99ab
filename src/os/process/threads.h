#pragma once

#include "base/time.h"
#include "os/process/pid.h"
#include "rt/fd.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::os {

/// What the kernel says about one thread at this moment. Reading it neither stops the thread nor
/// waits for a lock of its process, so it works even for a thread stuck in the kernel.
struct ThreadState {
  int32_t id = 0;
  std::string name;
  char state = '?';          ///< R, S, D, T, ...; '?' if it has just ended.
  std::string wait_channel;  ///< The kernel function in which it sleeps; "" if unknown.
  std::string system_call;   ///< "read"; a number for rare ones; "" if it is in none or hidden.
  int32_t descriptor = -1;   ///< The descriptor the call works on, if any.
  std::array<uint64_t, 5> arguments{};  ///< The call's first ones; 0 where they are hidden.
};

/// Returns those of the processes that a signal has stopped; not those that a debugger holds.
[[nodiscard]] std::vector<Pid> stopped_among(std::vector<Pid> processes);

/// Continues all of the processes except those in `stood`, as stopped_among() found them before
/// another party stopped more.
void continue_others(const std::vector<Pid>& processes, const std::vector<Pid>& stood);

/// Returns the ids of a process's threads, in any order, at most `count_max`; empty if it has
/// ended.
[[nodiscard]] std::vector<int32_t> thread_ids(Pid pid, size_t count_max);

/// Lists the threads of a process, the main thread first, at most `count_max`; empty if it has
/// ended.
[[nodiscard]] std::vector<ThreadState> list_threads(Pid pid, size_t count_max);

/// For a thread that only sleeps in its system call, returns how long it will still sleep or, if
/// the call does not say when it began, how long in total. nullopt for any other, and if that may
/// not be seen.
[[nodiscard]] std::optional<Duration> sleeps_for(Pid pid, const ThreadState& thread);

/// Returns whether a thread waits for events, but no longer than a time limit given in its call;
/// false for any other, and if that may not be seen.
[[nodiscard]] bool waits_at_most(const ThreadState& thread);

/// Returns whether a thread waits for another one, or for at most some milliseconds, as Python's
/// threads do again and again for the global lock. False for any other, and if that may not be
/// seen.
[[nodiscard]] bool waits_for_a_moment(Pid pid, const ThreadState& thread);

/// Returns which process holds the file lock (flock, fcntl) that a process waits for, according to
/// the text of /proc/locks; 0 if it waits for none, or that cannot be seen.
[[nodiscard]] Pid lock_holder(std::string_view proc_locks, Pid waiting);

/// Copies a part of a process's memory to `to`; returns false if that may not be read.
[[nodiscard]] bool read_memory(Pid pid, uint64_t address, void* to, size_t size);

/// Returns whether the main thread of a process waits for other threads, or for what they wait for,
/// such as peers in a collective call (a futex); nullopt if that cannot be seen.
[[nodiscard]] std::optional<bool> waits_for_threads(Pid pid);

/// Returns the name of a system call of this machine; its number if it is not in the table.
[[nodiscard]] std::string system_call_name(int64_t number);

/// Returns how often a thread has gone to sleep of its own accord so far; 0 if unknown.
[[nodiscard]] uint64_t count_sleeps(Pid pid, int32_t thread);

/// Returns whether a clock may end the wait of a reading thread: it reads a clock (timerfd), its
/// socket has a receive timeout (SO_RCVTIMEO), or its process catches alarms. False if that may not
/// be seen.
[[nodiscard]] bool may_be_woken_by_time(Pid pid, const ThreadState& thread);

/// Returns a copy of a process's descriptor; an invalid one if access is denied.
[[nodiscard]] rt::Fd copy_descriptor(Pid pid, int32_t descriptor);

/// Returns which system call a thread is in, and with what arguments; its name and state are not
/// read.
[[nodiscard]] ThreadState call_of_thread(Pid pid, int32_t thread);

/// Returns the path given to a thread's system call, if that opens a file or asks about one, as the
/// program wrote it; "" for any other, and if it is hidden or the program would have to be waited
/// for.
[[nodiscard]] std::string path_of_call(Pid pid, const ThreadState& thread);

inline constexpr std::string_view kPipeTarget = "a pipe";
inline constexpr std::string_view kSocketTarget = "a socket";
/// Returns what a descriptor of a process leads to: a path, or one of these; "" if that is hidden.
[[nodiscard]] std::string descriptor_target(Pid pid, int32_t descriptor);

}  // namespace muster::os
