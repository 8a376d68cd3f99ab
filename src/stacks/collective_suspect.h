#pragma once

#include "stacks/stack_groups.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace muster::stacks {

/// The task that has not entered the collective call in which others of its process group are, as
/// flight recorders tell.
struct Laggard {
  size_t subject = 0;    ///< Its position.
  std::string evidence;  ///< A line for people.
};

/// nullopt where nobody has such a record, all have come equally far, or more than half are behind.
[[nodiscard]] std::optional<Laggard> find_laggard(std::span<const Subject> subjects);

}  // namespace muster::stacks
