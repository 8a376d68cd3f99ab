#pragma once

namespace muster::os {

/// From now on, this process says so and exits with `exit_status` when it gets no more memory, be
/// it for an object or for its stack; a limit on address space (`ulimit -v`) would otherwise end it
/// in the middle of anything. `who` begins the message on standard error and must stay valid:
/// "muster agent". Call on the main thread; a later call replaces an earlier one.
void exit_without_memory(const char* who, int exit_status);

}  // namespace muster::os
