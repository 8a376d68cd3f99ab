#pragma once

#include "rt/wait.h"

namespace muster::rt {

/// Waits for `event`, at most until `when`; returns whether it came.
[[nodiscard]] Async<bool> wait_until(Loop& loop, HostTime when, Event& event);

}  // namespace muster::rt
