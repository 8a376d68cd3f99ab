#pragma once

#include <optional>
#include <sys/resource.h>

namespace muster::os {

/// Raises this process's limit of open descriptors to what the host allows, for those that hold a
/// connection to each of thousands of tasks: shells start with 1,024. Programs that spawn() starts
/// from then on get the limit that this process had before its first call. Not while other threads
/// may spawn.
void raise_descriptor_limit();

/// The limit, soft and hard, that raise_descriptor_limit() found; nullopt: it was not called.
[[nodiscard]] std::optional<rlimit> descriptor_limit_before();

/// Keeps other processes of the same user out of this one: none may read its memory, its
/// environment or its open descriptors, nor attach a debugger; it leaves no core file. Root may. A
/// program that it starts is as open as ever.
void hide_from_own_user();

}  // namespace muster::os
