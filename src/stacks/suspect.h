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
/// wait for their peers; else the one that differs from the rest; else the first, Unsure. A server
/// that waits for requests is never it: nullopt if all are. There is at least one subject.
[[nodiscard]] std::optional<Suspect> find_suspect(std::span<const Subject> subjects);

}  // namespace muster::stacks
