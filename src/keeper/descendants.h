#pragma once

#include <sys/types.h>
#include <vector>

namespace muster::keeper {

/// Returns the direct children of this process, zombies included. Needs /proc; without it the list
/// is empty.
[[nodiscard]] std::vector<pid_t> children_of_self();

/// Kills and reaps every descendant of this process, which must be a subreaper: children are killed
/// until none is left, so that grandchildren are adopted as orphans, whatever session they moved
/// to. Returns when waitpid() reports no children, or when the remaining ones belong to another
/// user and cannot be killed.
void end_descendants();

}  // namespace muster::keeper
