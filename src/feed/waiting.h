#pragma once

#include "feed/layout.h"

#include <chrono>
#include <cstdint>

namespace muster::feed {

/// How a wait ended. `Interrupted` (a signal came) lets a Python caller run its handlers.
enum class Woken : uint8_t { Maybe, TimedOut, Interrupted };

/// Waits until `bell` rings after it was at `seen`, or `deadline` has passed. May return early;
/// the caller looks at its condition again. The pattern, so that no ring is missed:
///
///     const uint32_t seen = arm(bell);   // says "I wait"
///     if (condition) return;             // looks again after saying so
///     wait(bell, seen, deadline);
[[nodiscard]] Woken wait(Bell& bell, uint32_t seen, std::chrono::steady_clock::time_point deadline);

/// Announces a waiter and returns the value to wait on.
[[nodiscard]] uint32_t arm(Bell& bell);

/// Wakes all waiters on `bell`; costs no system call if there are none.
void ring(Bell& bell);

}  // namespace muster::feed
