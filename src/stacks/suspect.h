#pragma once

#include "job/fact.h"
#include "stacks/stack_groups.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace muster::stacks {

/// Which of the tasks that all stand still is why they do.
struct Suspect {
  size_t subject = 0;  ///< Its position.
  job::Sureness sure = job::Sureness::Unsure;
  std::string place;     ///< "load (train.py:31)"; "" if unknown.
  std::string evidence;  ///< Lines for people, at most 4 KiB: what it does, what the others do.
};

/// Judges by what the tasks do now. The suspect is the one that waits for nobody while the others
/// wait for their peers; else the one that differs from the rest; else the first, Unsure; a Sign
/// where all rest: they sleep for long, or wait to be told what to do. A server
/// that waits for requests is it only where all others wait for their peers, and one that the job
/// does not wait for only while the kernel holds it: nullopt if there is nobody else. There is at
/// least one subject.
[[nodiscard]] std::optional<Suspect> find_suspect(std::span<const Subject> subjects);

/// What is known of a task beside its stacks.
struct Pause {
  bool quiet = false;    ///< It does nothing at all. Otherwise it is busy, without progress.
  bool reports = false;  ///< It has reported its steps, until now.
};

/// Whether something comes to one of the tasks: what it reads has woken it.
[[nodiscard]] bool is_any_fed(std::span<const Subject> subjects);

/// Judges tasks of which some are busy, by their stacks at several times, the newest last: `rounds`
/// all have the same tasks, in the order of `pauses`. nullopt if one of the busy may well work: it
/// neither waits for its peers all the time nor stays at one place of its own without computing,
/// its variables the same;
/// or if nobody waits for another and a loop is all there is to see. Never Certain of a busy one.
[[nodiscard]] std::optional<Suspect> find_busy_suspect(std::span<const std::vector<Subject>> rounds,
                                                       std::span<const Pause> pauses);

}  // namespace muster::stacks
