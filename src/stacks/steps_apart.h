#pragma once

#include "stacks/stack_groups.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace muster::stacks {

/// Tasks that have got differently far, by the steps that their programs reported.
struct StepsApart {
  /// The position of the first task at a step other than that of most; nullopt if no step is that
  /// of more than half of them.
  std::optional<size_t> odd;
  std::string line;  ///< "steps reported: worker:0-1 at 42, worker:2 at 41"
};

/// Returns nullopt if all are equally far, or one that the job waits for has reported no step.
[[nodiscard]] std::optional<StepsApart> find_steps_apart(std::span<const Subject> subjects);

}  // namespace muster::stacks
