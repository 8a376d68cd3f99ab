#pragma once

#include "stacks/stack_groups.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace muster::stacks {

/// The task that has not entered the collective call in which others of its process group are, or
/// that has entered another one in its place, as flight recorders tell.
struct Laggard {
  /// Its position; nullopt: nobody can tell which of those in two calls is wrong.
  std::optional<size_t> subject;
  std::string evidence;  ///< A line for people.
};

/// nullopt where nobody has such a record, all have come equally far in the same call, or more than
/// half are behind.
[[nodiscard]] std::optional<Laggard> find_laggard(std::span<const Subject> subjects);

}  // namespace muster::stacks
