#pragma once

#include "hadoop/yarn/node.h"
#include "hadoop/yarn/resource.h"

#include <string>

/// Amounts of resources for users, and whether one holds another.
namespace muster::cluster::yarn {

/// "1024 MB and 1 vcores and 2 yarn.io/gpu"; kinds of which there are none are left out.
[[nodiscard]] std::string amount(const hadoop::yarn::Resource& resource);

/// Returns whether `ask` fits into `room`, kind by kind.
[[nodiscard]] bool holds(const hadoop::yarn::Resource& room, const hadoop::yarn::Resource& ask);

/// What is left of `all` when `used` is taken; below 0 where that is more.
[[nodiscard]] hadoop::yarn::Resource left_of(const hadoop::yarn::Resource& all,
                                             const hadoop::yarn::Resource& used);

/// Raises memory to the next multiple of `step_mb`, as schedulers do that grant in steps.
[[nodiscard]] hadoop::yarn::Resource in_steps(hadoop::yarn::Resource ask, int64_t step_mb);

}  // namespace muster::cluster::yarn
