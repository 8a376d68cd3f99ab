#pragma once

#include "stacks/stack_groups.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace muster::stacks {

/// The task that, according to flight recorders, has not entered the collective call that others of
/// its process group are in, or has entered a different one.
struct Laggard {
  /// Its position; nullopt if it is unclear which of those in two calls is wrong.
  std::optional<size_t> subject;
  std::string evidence;  ///< A line for people.
};

/// Returns nullopt if there is no such record, all are equally far in the same call, or more than
/// half are behind.
[[nodiscard]] std::optional<Laggard> find_laggard(std::span<const Subject> subjects);

}  // namespace muster::stacks
