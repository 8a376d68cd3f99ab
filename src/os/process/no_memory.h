#pragma once

namespace muster::os {

/// From now on this process says so and exits with `exit_status` where it gets no more memory, be
/// it for an object or for its stack: under a limit of address space (`ulimit -v`) that ends it in
/// the middle of anything. `who` begins what it says on standard error, and lives on: "muster
/// agent". On the main thread; said again, the last words count.
void exit_without_memory(const char* who, int exit_status);

}  // namespace muster::os
