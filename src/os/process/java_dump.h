#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/process/pid.h"

#include <string>

namespace muster::os {

/// Whether a process is a Java virtual machine of the HotSpot family that says on request what its
/// threads do. One that is told not to (-Xrs, -XX:+DisableAttachMechanism) would end, or print it
/// among its output, when it was asked.
[[nodiscard]] bool answers_as_java(Pid pid);

/// Asks such a machine for its thread dump, in the way of `jstack`, whose protocol needs nothing
/// but a socket: of a process of the same user. Stops its threads for a moment. Blocks at most
/// `deadline` (DeadlineExceeded).
[[nodiscard]] Result<std::string> ask_java_for_threads(Pid pid, Duration deadline);

}  // namespace muster::os
