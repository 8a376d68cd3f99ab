#pragma once

#include "hadoop/yarn/node.h"
#include "hadoop/yarn/resource.h"

#include <string>

/// Amounts of resources for users, and whether one holds another.
namespace muster::cluster::yarn {

/// Formats "1024 MB and 1 vcores and 2 yarn.io/gpu"; kinds with an amount of zero are left out.
[[nodiscard]] std::string amount(const hadoop::yarn::Resource& resource);

/// Returns whether `ask` fits into `room`, kind by kind.
[[nodiscard]] bool holds(const hadoop::yarn::Resource& room, const hadoop::yarn::Resource& ask);

/// Returns what is left of `all` after `used` is taken; negative if that is more.
[[nodiscard]] hadoop::yarn::Resource left_of(const hadoop::yarn::Resource& all,
                                             const hadoop::yarn::Resource& used);

/// Raises memory to the next multiple of `step_mb`, as schedulers that grant in steps do.
[[nodiscard]] hadoop::yarn::Resource in_steps(hadoop::yarn::Resource ask, int64_t step_mb);

}  // namespace muster::cluster::yarn
