#pragma once

#include "base/result.h"

#include <string>

namespace muster::cluster::local {

/// Returns what a starting master tells the process that waits for it, in one line on a pipe:
/// "ready ADDRESS" or "error CODE BLAME MESSAGE".
[[nodiscard]] std::string ready_line(const std::string& address);
[[nodiscard]] std::string error_line(const Error& error);
/// Parses such a line; the error is the master's own.
[[nodiscard]] Result<std::string> parse_ready_line(const std::string& line);

}  // namespace muster::cluster::local
