#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/process/pid.h"

#include <string>

namespace muster::os {

/// Returns whether a process is a Java virtual machine of the HotSpot family that says on request
/// what its threads do. One that was told not to (-Xrs, -XX:+DisableAttachMechanism) would end when
/// asked, or print the answer among its output.
[[nodiscard]] bool answers_as_java(Pid pid);

/// Asks such a machine for its thread dump, as `jstack` does, whose protocol needs nothing but a
/// socket; the process must be of the same user. Stops its threads for a moment. Blocks for at most
/// `deadline` (DeadlineExceeded).
[[nodiscard]] Result<std::string> ask_java_for_threads(Pid pid, Duration deadline);

}  // namespace muster::os
