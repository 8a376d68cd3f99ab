#pragma once

#include "base/error.h"
#include "client/follow/console.h"

namespace muster::client {

/// Exit statuses of the command line (docs/failures.md) that are not a job's outcome.
inline constexpr int kBadUsage = 2;
inline constexpr int kClusterFailed = 3;
inline constexpr int kCouldNotStart = 6;
inline constexpr int kBug = 70;
inline constexpr int kDetached = 130;
/// As a shell reports SIGINT.
inline constexpr int kInterrupted = 130;
/// As a shell reports SIGPIPE.
inline constexpr int kReaderGone = 141;

/// Returns the exit status for a command that failed with `error`.
[[nodiscard]] int exit_status_of(const Error& error);

/// Prints "muster: message" (spec errors, which are lines with file and position already, as they
/// are) and returns the exit status.
int fail(Console& console, const Error& error);

}  // namespace muster::client
