#pragma once

#include "job/fact.h"
#include "stacks/stack_groups.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace muster::stacks {

/// Which of several tasks that are all stuck is the cause.
struct Suspect {
  size_t subject = 0;  ///< Its position.
  job::Sureness sure = job::Sureness::Unsure;
  std::string place;     ///< "load (train.py:31)"; "" if unknown.
  std::string evidence;  ///< Lines for people, at most 4 KiB: what it does, what the others do.
};

/// Judges by what the tasks are doing now. The suspect is the one that does not wait for others
/// while the others wait for their peers; else the one that differs from the rest; else the first,
/// with Unsure. It is a Sign if all are at rest: they sleep for long, or wait to be told what to
/// do. A server waiting for requests is the suspect only if all others wait for their peers, and a
/// task that the job does not wait for only while it is stuck in the kernel; nullopt if there is no
/// other candidate. There must be at least one subject.
[[nodiscard]] std::optional<Suspect> find_suspect(std::span<const Subject> subjects);

/// What is known about a task apart from its stacks.
struct Pause {
  bool quiet = false;    ///< It does nothing at all; otherwise it is busy without progress.
  bool reports = false;  ///< It has reported its steps, until now.
};

/// Returns whether one of the tasks is receiving data: what it reads has woken it.
[[nodiscard]] bool is_any_fed(std::span<const Subject> subjects);

/// Judges tasks of which some are busy, by their stacks at several times, the newest last; all
/// `rounds` have the same tasks, in the order of `pauses`. nullopt if one of the busy tasks may
/// well be working: it neither waits for its peers all the time nor stays at one place of its own
/// without computing and with unchanged variables; or if no task waits for another and all there is
/// to see is a loop. Never Certain about a busy task.
[[nodiscard]] std::optional<Suspect> find_busy_suspect(std::span<const std::vector<Subject>> rounds,
                                                       std::span<const Pause> pauses);

}  // namespace muster::stacks
