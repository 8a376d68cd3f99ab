#pragma once

#include <optional>
#include <sys/resource.h>

namespace muster::os {

/// Raises this process's limit of open descriptors to what the host allows, for processes that hold
/// a connection to each of thousands of tasks: shells start with 1,024. Programs that spawn()
/// starts from then on get the limit that this process had before the first call. Must not run
/// while other threads may spawn.
void raise_descriptor_limit();

/// Returns the limit, soft and hard, that raise_descriptor_limit() found; nullopt if it was not
/// called.
[[nodiscard]] std::optional<rlimit> descriptor_limit_before();

/// Keeps other processes of the same user out of this one: none may read its memory, its
/// environment or its open descriptors, or attach a debugger, and it leaves no core file. Root
/// still may. Programs that it starts are not protected.
void hide_from_own_user();

}  // namespace muster::os
